/**
 * Counts self-reflection words in reasoning. We chose the list. Every occurrence counts, with or without a subsequent
 * check.
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

/** Counts whole words, case-insensitively. Line ends and repeated spaces count as one space. */
export function countReflections(think: string): number {
  return think.replace(/\s+/g, ' ').match(pattern)?.length ?? 0;
}
