/**
 * Formats an item as a prompt. Both styles include `<think>`, so a completion starts inside the reasoning.
 *
 * - compact: for the embedded models, whose vocabulary holds only the words of their world.
 * - chat: for instruction-tuned models; the model's own chat template wraps the messages.
 */
import type { Item, PromptBaseline } from '../item';

export type PromptStyle = 'compact' | 'chat';

/** A message as a chat template expects it. */
interface PromptMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export type Prompt =
  | { kind: 'text'; text: string }
  /**
   * `prefill` begins the model's turn. It is an option of `Tokenizer.chat` because the template may already have opened
   * the block.
   */
  | { kind: 'chat'; messages: PromptMessage[]; prefill: string };

const INSTRUCTIONS = `You read a short story and answer one question about it.
First reason step by step between <think> and </think>. Then give the answer alone, in as few words as the story uses for it, between <answer> and </answer>.

Two things hold in every story:
1. While people are in a place they notice everything that happens there; once they have left they notice nothing of it.
2. People can tell what somebody else thinks only from what they went through together or from what they said to each other.`;

/** For questions without a story. */
const QUESTION_INSTRUCTION =
  'Answer the question. First reason step by step between <think> and </think>. Then give the answer alone between <answer> and </answer>.';

/** For rooms stories, which small models read. */
const BRIEF_INSTRUCTION =
  'Think inside <think> </think> about what each person saw, then answer the question with one word inside <answer> </answer>.';

/** Our own wording. Unlike the task's instruction, neither states what holds in every story. */
const BASELINE_INSTRUCTIONS: Record<PromptBaseline, string> = {
  plain:
    'You read a short story and answer one question about it. Give the answer alone, in as few words as the story uses for it, between <answer> and </answer>.',
  cot: 'You read a short story and answer one question about it. Think step by step between <think> and </think>. Then give the answer alone, in as few words as the story uses for it, between <answer> and </answer>.',
};

/** Text of a prompt after its `<think>`; a completion is parsed as if it started with this text. */
export function givenOf({ baseline }: Item): string {
  return baseline === 'plain' ? '</think> <answer>' : '';
}

/** The text of a compact prompt, without a system prompt and without the task's instruction. */
export function compactPrompt(item: Item): string {
  const { story, question, prompt: { instruction = '' } = {} } = item;
  const given = givenOf(item);
  const parts = [...(instruction === '' ? [] : [instruction]), story, question, '<think>'];
  return [...parts, ...(given === '' ? [] : [given])].join(' ');
}

/**
 * Formats a prompt with one instruction, the run's or the task's. The task's instruction is the system message, except
 * in rooms stories, where it starts the user message so that the chat template adds its own system message.
 */
export function formatPrompt(item: Item, style: PromptStyle): Prompt {
  if (style === 'compact') return { kind: 'text', text: compactPrompt(item) };
  const isBrief = item.dataset === 'rooms';
  const { systemPrompt = 'task', systemText = '', instruction = '' } = item.prompt ?? {};
  const ofTask = isBrief ? BRIEF_INSTRUCTION : item.story === '' ? QUESTION_INSTRUCTION : INSTRUCTIONS;
  const ofRun = instruction === '' ? ofTask : instruction;
  const instructed = item.baseline === undefined ? ofRun : BASELINE_INSTRUCTIONS[item.baseline];
  const isSystem = systemPrompt === 'task' && systemText === '' && !isBrief;
  const system = isSystem ? instructed : systemText === '' && systemPrompt !== 'none' ? null : systemText;
  const choices = item.choices === undefined ? [] : [`Choices:\n${item.choices.join('\n')}`];
  const story = isBrief || item.story === '' ? item.story : `Story:\n${item.story}`;
  const question = isBrief ? item.question : `Question: ${item.question}`;
  const parts = [...(isSystem ? [] : [instructed]), ...(story === '' ? [] : [story]), question, ...choices];
  return {
    kind: 'chat',
    messages: [
      ...(system === null ? [] : [{ role: 'system' as const, content: system }]),
      { role: 'user', content: parts.join('\n\n') },
    ],
    prefill: `<think>\n${givenOf(item)}`,
  };
}
