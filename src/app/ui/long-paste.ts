/**
 * Refuses pasted and dropped text that is too long for its field. Browsers truncate it silently, or lay out megabytes for
 * seconds.
 */

/** Limit in characters for fields without a `maxLength`. No setting, name or address is longer. */
const usualLimit = 10_000;
const number = new Intl.NumberFormat('en');

/** @param page - the document. A field's `data-too-long` replaces the advice. */
export function refuseLongPastes(page: EventTarget): void {
  page.addEventListener('beforeinput', (event) => {
    const { inputType, data, target: field } = event as InputEvent;
    if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return;
    if (data === null || !/^insertFrom(Paste|Drop)$/.test(inputType)) return;
    const limit = field.maxLength < 0 ? usualLimit : field.maxLength;
    const replaced = (field.selectionEnd ?? 0) - (field.selectionStart ?? 0);
    const length = field.value.length - replaced + data.length;
    if (length <= limit) return;
    event.preventDefault();
    report(
      field,
      `The text has ${number.format(length)} characters; the limit is ${number.format(limit)}. ${field.dataset.tooLong ?? 'Paste a shorter one.'}`,
    );
  });
}

/** Shows a message at the field until the next key, click or input. */
function report(field: HTMLTextAreaElement | HTMLInputElement, message: string): void {
  field.setCustomValidity(message);
  field.reportValidity();
  const shown = new AbortController();
  const forget = (): void => {
    field.setCustomValidity('');
    shown.abort();
  };
  for (const type of ['keydown', 'pointerdown', 'input'])
    addEventListener(type, forget, { capture: true, signal: shown.signal });
}
