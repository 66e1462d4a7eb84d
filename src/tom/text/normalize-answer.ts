/**
 * Normalises an answer for comparison, as ToM-RL does: lower case, `_` as a space, no `.,;:!?`, single spaces. A point
 * before a digit stays (.5 is not 5), and a minus sign becomes a hyphen.
 */
export function normalizeAnswer(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('_', ' ')
    .replaceAll('\u2212', '-')
    .replace(/[,;:!?]|\.(?!\d)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
