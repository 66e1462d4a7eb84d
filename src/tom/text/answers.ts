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

const FULL_WIDTH = /[\uff0d\uff0e\uff10-\uff19]/g;
/** Hyphens, the en dash and the minus sign, which models write instead of `-`. */
const MINUS = /[\u2010-\u2013\u2212]/g;
/** A comma between digits, or a no-break or thin space before three of them. */
const GROUP_MARK = /(?<=\d)(?:,(?=\d)|[\u00a0\u2009\u202f](?=\d{3}(?!\d)))/g;
/**
 * A minus after an operand is a subtraction ("10-5"), and a point after a word or a digit is punctuation ("v1.2.3"):
 * neither belongs to the number that follows.
 */
const NUMBER =
  /((?<![A-Za-z\d)\]}%])-\\?[$€£¥]?)?((?:\d+(?:\.\d+)?|(?<![A-Za-z\d.])\.\d+)(?:[eE][-+]?\d+)?)/g;

/** All numbers of a text, in order. */
export function numbersIn(text: string): number[] {
  const plain = text
    .replace(FULL_WIDTH, (mark) => String.fromCharCode(mark.charCodeAt(0) - 0xfee0))
    .replace(MINUS, '-')
    .replace(GROUP_MARK, '');
  return Array.from(plain.matchAll(NUMBER), ([, sign, digits]) => (sign ? -Number(digits) : Number(digits)));
}
