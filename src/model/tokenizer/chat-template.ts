/**
 * Chat templates: Jinja texts of a model that put control tokens around the messages. Control tokens of the template must be
 * encoded as such, but equal characters in a message must not. Before rendering, an unused character is therefore inserted as a
 * mark into every look-alike in the messages. The rendered text is split at the intact control tokens, and the marks are removed.
 */

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ChatTemplate {
  /**
   * Renders the conversation as text, with the start of the assistant's next turn. The current date,
   * which some templates use, is not available, since a run would depend on the day. Such templates have a fixed default.
   *
   * @throws MarbleError `model/chat-template` if the template rejects the messages or is faulty
   */
  render(messages: readonly ChatMessage[]): string;
}

/** Finds a character that occurs in none of the texts, starting with Unicode's noncharacters. */
export function unusedCharacter(texts: readonly string[]): string {
  for (let code = 0xfdd0; ; code++) {
    const character = String.fromCharCode(code);
    if (!texts.some((text) => text.includes(character))) return character;
  }
}

/** Inserts `mark` into every control token in the text, and into a prefix of a control token at its end, also before white space. */
export function markLookAlikes(text: string, controls: readonly string[], mark: string): string {
  let marked = text;
  for (const control of controls) {
    marked = marked.replaceAll(control, `${control[0]}${mark}${control.slice(1)}`);
  }
  const end = marked.trimEnd().length; // many templates trim the messages
  let tail = 0;
  for (const control of controls) {
    for (let length = control.length - 1; length > tail; length--) {
      if (marked.endsWith(control.slice(0, length), end)) tail = length;
    }
  }
  const cut = end - tail + 1;
  return tail === 0 ? marked : marked.slice(0, cut) + mark + marked.slice(cut);
}

/**
 * Appends the start of the model's turn to the rendered prompt and ensures a single `<think>`. Some templates of thinking models
 * already end with `<think>`. Others end with an empty block, which the prefill replaces.
 */
export function withPrefill(rendered: string, prefill: string): string {
  if (!prefill.startsWith('<think>')) return rendered + prefill;
  if (/<think>\s*$/.test(rendered)) return rendered;
  return rendered.replace(/<think>\s*<\/think>\s*$/, '') + prefill;
}
