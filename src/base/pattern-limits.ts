/**
 * Limits on regular expressions from strangers. JavaScript's engine backtracks, and nothing interrupts it: `(a+)+b` takes
 * twice as long for each further letter. Time is polynomial if no group repeats, and each repetition that something
 * mandatory follows multiplies it by the length of the text.
 */

/** A repetition up to this count is not counted: `\p{N}{1,3}`. */
const SHORT = 16;

/** The start of a group or of an alternative; or the end of a group, an escape, a class or a character with its quantifier. */
const tokens =
  /(\||\((?:\?(?:<?[=!]|<\w+>|[a-z-]*:))?)|(\\[pPu]\{[^}]*\}|\\[^]|\[\^?(?:\\[^]|[^\]\\])*\]?|[^])((?:[*+?]|\{\d+(?:,\d*)?\})[?+]?)?/gu;

/** Kind of a part by its quantifier: R for a repetition, o if it is optional, n if it is needed. */
function kindOf(quantifier: string): 'R' | 'o' | 'n' {
  if (quantifier === '') return 'n';
  if (quantifier.startsWith('?')) return 'o';
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)/.exec(quantifier) ?? ['', '0', ',', ''];
  if (Number(comma === '' ? least : most || Infinity) > SHORT) return 'R';
  return Number(least) === 0 ? 'o' : 'n';
}

const repeated = (parts: string): number => parts.split('R').length - 1;
const tooMany = (count: number): string => `repeats ${count} parts in a row`;

/**
 * @param most - repetitions of an alternative. The last one of it is free if nothing mandatory follows.
 * @returns what the limits forbid, as a phrase that completes "it"; null if the pattern is within them
 */
export function patternFault(pattern: string, most: number): string | null {
  /** The open groups, the whole pattern first: the kinds of the parts of each alternative. */
  const open = [['']];
  for (const [, start, part, quantifier = ''] of pattern.matchAll(tokens)) {
    let parts: string = kindOf(quantifier);
    if (start === '|') open.at(-1)!.push('');
    else if (start) open.push(['']);
    if (start) continue;
    if (/^\\[1-9k]/.test(part)) return 'refers back to what it has matched';
    if (part === ')' && open.length > 1) {
      if (quantifier !== '' && parts !== 'o') return 'repeats a group';
      const group = open.pop()!;
      // A group without repetitions is one part.
      if (!group.every((each) => each.includes('n'))) parts = 'o';
      const count = Math.max(...group.map(repeated));
      if (count > most + 1) return tooMany(count);
      parts = 'R'.repeat(count) + parts;
    }
    open.at(-1)!.push(open.at(-1)!.pop()! + parts);
  }
  for (const parts of open[0]) {
    const isLastFree = !parts.slice(parts.lastIndexOf('R') + 1).includes('n');
    if (repeated(parts) > most + (isLastFree ? 1 : 0)) return tooMany(repeated(parts));
  }
  return null;
}
