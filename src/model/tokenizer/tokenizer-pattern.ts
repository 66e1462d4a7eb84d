/**
 * Which regular expressions of a tokenizer.json are run. They come from anybody, and one like `(a+)+$` takes a minute for
 * thirty letters. Those are run of which the form tells that they go through a text once: in each alternative, behind the
 * first part that repeats without end stands nothing that could fail, so that nothing is ever taken back. And those few,
 * by name, with which tokenizers in use find the white space at the end of a line.
 */

/** They look again at white space, or at capital letters, that another alternative beside them then takes in one piece. */
const KNOWN_ALTERNATIVES = new Set([
  String.raw`\s+(?!\S)`,
  String.raw`\s*[\r\n]+`,
  String.raw`\s*[\r\n]`,
  String.raw`\s+$`,
  // GPT-4o's: a word that begins with capitals.
  String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
]);

const LONGEST_PATTERN = 4096;
/** In which the parts before one that must be there can be read, some of them being left out. */
const MOST_WAYS = 64;

/** A letter or an escaped one, a class without classes in it, an anchor, or a group of fixed texts. */
const PART =
  /\\[pP]\{[^{}]*\}|\\[sSdDwWnrtfvbBhux0]|\\[^a-zA-Z0-9]|\[\^?(?:\\[pP]\{[^{}]*\}|\\.|[^\]\\[])*\]|\((?:\?i?:)?(?:[^()[\]\\*+?{}]|\\[^a-zA-Z0-9])*\)|[^\\[\](){}*+?|]/uy;
const QUANTIFIER = /[*+?]|\{(\d{1,4})(,?)(\d{0,4})\}/uy;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** How often a part may stand: what it needs, and whether without end. */
function repetition(quantifier: RegExpExecArray | null): { least: number; most: number } {
  if (quantifier === null) return { least: 1, most: 1 };
  const [sign, least, comma, most] = quantifier;
  if (sign === '*') return { least: 0, most: Infinity };
  if (sign === '+') return { least: 1, most: Infinity };
  if (sign === '?') return { least: 0, most: 1 };
  return { least: Number(least), most: comma === '' ? Number(least) : most === '' ? Infinity : Number(most) };
}

/** Whether the alternative that begins here goes through a text once. @returns where it ends; null where it may not */
function endOfAlternative(pattern: string, start: number): number | null {
  let at = start;
  let isEndless = false;
  let ways = 1;
  while (at < pattern.length && pattern[at] !== '|') {
    const part = matchAt(PART, pattern, at);
    if (part === null) return null;
    at += part[0].length;
    const quantifier = matchAt(QUANTIFIER, pattern, at);
    at += quantifier?.[0].length ?? 0;
    const { least, most } = repetition(quantifier);
    if (least > 0 && (isEndless || ways > MOST_WAYS)) return null;
    // A group that repeats could itself be read in many ways.
    if (most > 1 && part[0].startsWith('(')) return null;
    if (most === Infinity) isEndless = true;
    else ways *= 1 + most - least;
  }
  return at;
}

/** Whether a text of any length is searched for this pattern in a time that grows with its length. */
export function isQuickPattern(pattern: string): boolean {
  if (pattern.length > LONGEST_PATTERN) return false;
  let at = 0;
  for (;;) {
    const known = [...KNOWN_ALTERNATIVES].find(
      (alternative) =>
        pattern.startsWith(alternative, at) && ['|', undefined].includes(pattern[at + alternative.length]),
    );
    const end = known === undefined ? endOfAlternative(pattern, at) : at + known.length;
    if (end === null) return false;
    if (end === pattern.length) return true;
    at = end + 1;
  }
}
