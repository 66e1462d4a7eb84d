/**
 * Chat templates: Jinja texts that come with a model and put its control tokens around the messages. A template's own
 * control tokens must be read as such, the same characters in a message must not. So a mark that stands in no message is
 * put into every look-alike before rendering; text is then cut at the control tokens that are still whole, and the marks
 * are taken out of the rest.
 */

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ChatTemplate {
  /**
   * The conversation as text; with `generationPrompt`, the start of the assistant's next turn at its end. Today's date,
   * which some templates ask for, is not to be had: a run would depend on the day. They have a fixed one to fall back on.
   *
   * @throws MarbleError `model/chat-template` when the template refuses these messages or is faulty
   */
  render(messages: readonly ChatMessage[], generationPrompt: boolean): string;
}

/** Reads a template's text, given `bos_token`, `eos_token` and the like; it throws what `parseChatTemplate` does. */
export type ParseChatTemplate = (source: string, tokens: Readonly<Record<string, string>>) => ChatTemplate;

/** A character that stands in none of the texts, from Unicode's noncharacters on. */
export function unusedCharacter(texts: readonly string[]): string {
  for (let code = 0xfdd0; ; code++) {
    const character = String.fromCharCode(code);
    if (!texts.some((text) => text.includes(character))) return character;
  }
}

/** The text with `mark` inside whatever is a control token, or at its end the beginning of one. */
export function markLookAlikes(text: string, controls: readonly string[], mark: string): string {
  let marked = text;
  for (const control of controls) {
    marked = marked.replaceAll(control, `${control[0]}${mark}${control.slice(1)}`);
  }
  let tail = 0;
  for (const control of controls) {
    for (let length = control.length - 1; length > tail; length--) {
      if (marked.endsWith(control.slice(0, length))) tail = length;
    }
  }
  const cut = marked.length - tail + 1;
  return tail === 0 ? marked : marked.slice(0, cut) + mark + marked.slice(cut);
}

/**
 * The rendered prompt with the beginning of the model's turn, so that its thinking is opened once. Templates of thinking
 * models end with an open `<think>` themselves; others close an empty block, which the beginning replaces.
 */
export function withPrefill(rendered: string, prefill: string): string {
  if (!prefill.startsWith('<think>')) return rendered + prefill;
  if (/<think>\s*$/.test(rendered)) return rendered;
  return rendered.replace(/<think>\s*<\/think>\s*$/, '') + prefill;
}
