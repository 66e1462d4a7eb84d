/**
 * Limits on regular expressions from strangers. JavaScript's engine backtracks, and nothing interrupts it: `(a+)+b` takes
 * twice as long for each further letter. Time is polynomial if no group repeats, and each repetition that something
 * mandatory follows multiplies it by the length of the text.
 */

/** A repetition up to this count is not counted: `\p{N}{1,3}`. */
const SHORT = 16;

/** Parts of an alternative in order. A group without repetitions is one part. */
type Part = 'repeated' | 'needed' | 'optional';

/**
 * @param most - repetitions of an alternative. The last one of it is free if nothing mandatory follows.
 * @returns what the limits forbid, as a phrase that completes "it"; null if the pattern is within them
 */
export function patternFault(pattern: string, most: number): string | null {
  let place = 0;
  let fault: string | null = null;

  const quantifier = (): { repeats: boolean; isOptional: boolean } | null => {
    const match = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})[?+]?/.exec(pattern.slice(place, place + 30));
    if (match === null) return null;
    place += match[0].length;
    const [text, least, comma, greatest] = match;
    if (text.startsWith('?')) return { repeats: false, isOptional: true };
    if (text.startsWith('*')) return { repeats: true, isOptional: true };
    if (text.startsWith('+')) return { repeats: true, isOptional: false };
    const limit = comma === '' ? Number(least) : greatest === '' ? Infinity : Number(greatest);
    return { repeats: limit > SHORT, isOptional: Number(least) === 0 };
  };

  /** Skips an escape, a class or a character. */
  const skipAtom = (): void => {
    const rest = pattern.slice(place);
    if (/^\\(?:[1-9]|k)/.test(rest)) fault ??= 'refers back to what it has matched';
    const atom = /^\\[pPu]\{[^}]*\}|^\\[^]|^\[\^?(?:\\[^]|[^\]\\])*\]?|^[^]/u.exec(rest);
    place += atom?.[0].length ?? 1;
  };

  const alternatives = (): Part[][] => {
    const all: Part[][] = [[]];
    while (place < pattern.length && pattern[place] !== ')') {
      const parts = all.at(-1)!;
      if (pattern[place] === '|') {
        place += 1;
        all.push([]);
        continue;
      }
      if (pattern[place] !== '(') {
        skipAtom();
        const found = quantifier();
        parts.push(found?.repeats ? 'repeated' : found?.isOptional ? 'optional' : 'needed');
        continue;
      }
      place += /^\((?:\?(?:[=!]|<[=!]|<\w+>|[a-z-]*:))?/.exec(pattern.slice(place))![0].length;
      const inner = alternatives();
      place += 1; // the closing parenthesis
      const repeated = Math.max(...inner.map((each) => each.filter((part) => part === 'repeated').length));
      const found = quantifier();
      if (found !== null && !(found.isOptional && !found.repeats)) fault ??= 'repeats a group';
      const isNeeded = found?.isOptional !== true && inner.every((each) => each.includes('needed'));
      parts.push(...Array<Part>(repeated).fill('repeated'), isNeeded ? 'needed' : 'optional');
    }
    return all;
  };

  while (place < pattern.length && fault === null) {
    for (const parts of alternatives()) {
      const repeated = parts.filter((part) => part === 'repeated').length;
      const isLastFree = !parts.slice(parts.lastIndexOf('repeated') + 1).includes('needed');
      if (repeated > most + (isLastFree ? 1 : 0)) fault ??= `repeats ${repeated} parts in a row`;
    }
    place += 1; // a parenthesis too many, which RegExp refuses
  }
  return fault;
}
