import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newProfile, openBrowserForAll, openPage, place } from '../helpers/visitor';

openBrowserForAll();

/** Limit in milliseconds on the time without a timer, on a busy machine. A field that shapes each line anew needs 20 s. */
const most = 4000;

/** Pastes a text in place of the field's content. @returns the field after it, and the longest time without a timer */
async function paste(page: Page, field: Locator, text: string) {
  await page.evaluate((pasted) => navigator.clipboard.writeText(pasted), text);
  await field.focus();
  await field.selectText();
  const pause = page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const ticks = [performance.now()];
        const timer = setInterval(() => ticks.push(performance.now()), 10);
        const end = (): void => {
          clearInterval(timer);
          ticks.push(performance.now());
          resolve(Math.max(...ticks.slice(1).map((tick, index) => tick - ticks[index])));
        };
        const after = (): void => void requestAnimationFrame(() => setTimeout(end, 100));
        addEventListener('beforeinput', after, { once: true });
      }),
  );
  await field.press('Control+V');
  const longest = await pause;
  return field.evaluate(
    ({ value, validationMessage, maxLength }: HTMLTextAreaElement, longest) => ({
      ...{ value, validationMessage, maxLength, longest },
    }),
    longest,
  );
}

async function refusesLongText(name: string, which: 'first' | 'last'): Promise<void> {
  const page = await openPage(await newProfile());
  await place(page, name).click();
  const fields = page.locator(':is(textarea, input[type=text]):read-write:visible');
  await fields.first().waitFor();
  const field = fields[which]();
  let refused = 0;
  for (const text of ['A'.repeat(80_000), 'hello world '.repeat(340_000)]) {
    const { value, validationMessage, maxLength, longest } = await paste(page, field, text);
    expect(longest).toBeLessThan(most);
    if (value === text) continue;
    refused++;
    const limit = (maxLength < 0 ? 10_000 : maxLength).toLocaleString('en');
    expect(validationMessage).toContain(`characters; the limit is ${limit}. `);
    await page.keyboard.press('Shift');
    expect(await field.evaluate((input: HTMLInputElement) => input.validationMessage)).toBe('');
  }
  expect(refused).toBe(which === 'last' && name === 'Class' ? 1 : 2);
}

it.each([
  ['Train', 'first'],
  ['Class', 'last'],
] as const)('takes no long text for seconds, and names the limit: %s, %s field', refusesLongText);
