/**
 * From an item to what a model reads. `<think>` is given in both styles, so a completion starts inside the reasoning.
 *
 * - compact: for the embedded models, whose vocabulary has nothing but the words of their world.
 * - chat: for instruction-tuned models; the model's own chat template is put around the messages.
 */
import type { Item } from '../item';

export type PromptStyle = 'compact' | 'chat';

/** The shape of a chat template's input. */
interface PromptMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export type Prompt =
  | { kind: 'text'; text: string }
  /** `prefill` begins the model's own turn: an option of `Tokenizer.chat`, since the template may have opened the block. */
  | { kind: 'chat'; messages: PromptMessage[]; prefill: string };

const INSTRUCTIONS = `You read a short story and answer one question about it.
First reason step by step between <think> and </think>. Then give the answer alone, in as few words as the story uses for it, between <answer> and </answer>.

Two things hold in every story:
1. While people are in a place they notice everything that happens there; once they have left they notice nothing of it.
2. People can tell what somebody else thinks only from what they went through together or from what they said to each other.`;

/** For small models: less to read, and no system message, so that the chat template has its own. */
const BRIEF_INSTRUCTION =
  'Think inside <think> </think> about what each person saw, then answer the question with one word inside <answer> </answer>.';

/** The text of a compact prompt. */
export function compactPrompt({ story, question }: Item): string {
  return `${story} ${question} <think>`;
}

export function formatPrompt(item: Item, style: PromptStyle): Prompt {
  if (style === 'compact') return { kind: 'text', text: compactPrompt(item) };
  if (item.dataset === 'rooms') {
    const content = [BRIEF_INSTRUCTION, item.story, item.question].join('\n\n');
    return { kind: 'chat', messages: [{ role: 'user', content }], prefill: '<think>\n' };
  }
  const story = item.story === '' ? '' : `Story:\n${item.story}\n\n`;
  const choices = item.choices === undefined ? '' : `\n\nChoices:\n${item.choices.join('\n')}`;
  return {
    kind: 'chat',
    messages: [
      { role: 'system', content: INSTRUCTIONS },
      { role: 'user', content: `${story}Question: ${item.question}${choices}` },
    ],
    prefill: '<think>\n',
  };
}
