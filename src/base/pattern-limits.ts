/**
 * Limits on regular expressions from strangers. JavaScript's engine backtracks, and nothing interrupts it: `(a+)+b` takes
 * twice as long for each further letter, and `a?a?a?b` for each further part. Time is polynomial if no group repeats: each
 * repetition that something mandatory follows multiplies it by the length of the text, and each choice by its ways.
 */

/** A repetition up to this count is a choice between its counts: `\p{N}{1,3}` has three ways. */
const SHORT = 16;

/** The start of a group or of an alternative; or the end of a group, an escape, a class or a character with its quantifier. */
const tokens =
  /(\||\((?:\?(?:<?[=!]|<\w+>|[a-z-]*:))?)|(\\[pPu]\{[^}]*\}|\\[^]|\[\^?(?:\\[^]|[^\]\\])*\]?|[^])((?:[*+?]|\{\d+(?:,\d*)?\})[?+]?)?/gu;

/** Least and largest count of a quantifier. */
function countsOf(quantifier: string): [number, number] {
  if (quantifier === '') return [1, 1];
  const braces = /^\{(\d+)(,?)(\d*)/.exec(quantifier);
  if (braces === null) return [quantifier.startsWith('+') ? 1 : 0, quantifier.startsWith('?') ? 1 : Infinity];
  const [, least, comma, most] = braces;
  return [Number(least), Number(comma === '' ? least : most || Infinity)];
}

/** Parts of an alternative, each R for a repetition, o if it is optional, n if it is needed; and its ways to match a text. */
interface Alternative {
  parts: string;
  ways: number;
}

const repeated = ({ parts }: Alternative): number => parts.split('R').length - 1;
const tooMany = (count: number): string => `repeats ${count} parts in a row`;

/**
 * @param most - repetitions of an alternative. The last one of it is free if nothing mandatory follows.
 * @param mostWays - product of the ways of all choices of an alternative. Published tokenizers have at most 16.
 * @returns what the limits forbid, as a phrase that completes "it"; null if the pattern is within them
 */
export function patternFault(pattern: string, most: number, mostWays: number): string | null {
  /** The alternatives of each open group, the whole pattern first. */
  const open: Alternative[][] = [[{ parts: '', ways: 1 }]];
  for (const [, start, part, quantifier = ''] of pattern.matchAll(tokens)) {
    if (start === '|') open.at(-1)!.push({ parts: '', ways: 1 });
    else if (start) open.push([{ parts: '', ways: 1 }]);
    if (start) continue;
    if (/^\\[1-9k]/.test(part)) return 'refers back to what it has matched';
    const [fewest, mostTimes] = countsOf(quantifier);
    const isRepeated = mostTimes > SHORT;
    let parts = isRepeated ? 'R' : fewest === 0 ? 'o' : 'n';
    let ways = isRepeated ? 1 : mostTimes - fewest + 1;
    if (part === ')' && open.length > 1) {
      if (mostTimes > 1) return 'repeats a group';
      const group = open.pop()!;
      // A group without repetitions is one part.
      if (!group.every((each) => each.parts.includes('n'))) parts = 'o';
      const count = Math.max(...group.map(repeated));
      if (count > most + 1) return tooMany(count);
      parts = 'R'.repeat(count) + parts;
      ways = group.reduce((sum, each) => sum + each.ways, ways - 1);
    }
    const alternative = open.at(-1)!.at(-1)!;
    alternative.parts += parts;
    alternative.ways *= ways;
    if (alternative.ways > mostWays) return `can match a text in more than ${mostWays} ways`;
  }
  for (const alternative of open[0]) {
    const { parts } = alternative;
    const isLastFree = !parts.slice(parts.lastIndexOf('R') + 1).includes('n');
    if (repeated(alternative) > most + (isLastFree ? 1 : 0)) return tooMany(repeated(alternative));
  }
  return null;
}
