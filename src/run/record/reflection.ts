/**
 * Self-reflection words: how often a piece of reasoning interrupts itself. The list is ours. A word counts wherever it
 * occurs, whether or not a check follows it.
 */
export const reflectionWords: readonly string[] = [
  'wait',
  'however',
  'let me check',
  'reconsider',
  'actually',
  'alternatively',
  'hmm',
];

const pattern = new RegExp(`\\b(?:${reflectionWords.join('|')})\\b`, 'gi');

/** Occurrences in a text as whole words, in any case. Line ends and repeated spaces count as one space. */
export function countReflections(think: string): number {
  return think.replace(/\s+/g, ' ').match(pattern)?.length ?? 0;
}
