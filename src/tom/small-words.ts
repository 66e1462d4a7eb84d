/** Words and sentences that the small worlds (nano, swap) share; all built-in vocabularies begin with the special ones. */

/** Fills a batch up to one length; never part of a text. */
export const PAD_TOKEN = '<pad>';
/** Ends a completion; never part of a text. */
export const END_TOKEN = '<eos>';

/** Ordinary words of these vocabularies, not special tokens. */
export const TAGS = ['<think>', '</think>', '<answer>', '</answer>'] as const;

export const AGENTS = ['ann', 'bob', 'cat', 'dan', 'eve', 'fay', 'gus', 'hal'] as const;
export const PLACES = ['bag', 'bin', 'box', 'chest', 'drawer', 'jar', 'shelf', 'tin'] as const;
export const OBJECTS = ['ball', 'coin', 'key', 'ring'] as const;

/** What a small world's story begins with, and what its question asks. */
interface SmallWorld {
  agents: readonly string[];
  object: string;
  start: string;
  chain: readonly string[];
}

/** The words of a small world by token id: special tokens, tags, the world's own grammar, names. */
export function smallVocabulary(grammar: readonly string[]): string[] {
  return [PAD_TOKEN, END_TOKEN, ...TAGS, ...grammar, ...AGENTS, ...PLACES, ...OBJECTS];
}

export function smallStory({ agents, object, start }: SmallWorld, sentences: readonly string[]): string {
  return [`${agents.join(' ')} entered . ${object} in ${start} .`, ...sentences].join(' ');
}

export function smallQuestion({ chain, object }: SmallWorld): string {
  if (chain.length === 0) return `where is ${object} ?`;
  return `where does ${chain.map((agent) => `${agent} think`).join(' ')} ${object} ?`;
}
