/**
 * Splits a story into sentences. Handles numbered bAbI lines, lines without a full stop, and running text. Some
 * sentences of ExploreToM lack their full stop ("… of the letter opener Julia entered the room."), as do all of ToMi's
 * asides in stories on one line ("Ann hates the tie The plum is in the basket.").
 */

/** A person's name, in any script that has capitals. */
export const NAME = String.raw`\p{Lu}[\p{L}\p{M}\p{N}_'-]*`;

/** A line's number or bullet: `3 `, `3. `, `(3) `, `- `. */
const LINE_MARK = /^\s*(?:\(?\d+[.):]?|[-*•])\s+/;
const HEADING = /^\s*(?:story|context|question)\s*:\s*/i;

/** Positions where a sentence begins without a preceding full stop. */
const MISSING_STOP = new RegExp(
  `(?<=[\\p{Ll}0-9"')])\\s+(?=While this action was happening,|${NAME} (?:entered the|left the|moved the|told (?:privately to|out loud)) )`,
  'u',
);
/** The end of an aside, which has four words and reports no event. */
const AFTER_ASIDE = new RegExp(
  `(?<=(?:^|\\s)${NAME} (?:likes|dislikes|loves|hates) the \\S*[^\\s.])\\s+(?=\\p{Lu})`,
  'u',
);
const UNFINISHED = new RegExp(` and$|,$|^${NAME}$`, 'u');

/** Normalises spaces, apostrophes and line ends and drops a heading, because copying a text changes these. */
export function tidied(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]+/g, ' ')
    .replaceAll('’', "'")
    .replace(HEADING, '');
}

export function sentencesOf(story: string): string[] {
  return (
    tidied(story)
      .split('\n')
      .flatMap((line) => line.replace(LINE_MARK, '').split(/(?<=\.)\s+(?=\p{Lu})/u))
      .flatMap((sentence) => sentence.split(AFTER_ASIDE))
      .flatMap(cutAtMissingStops)
      .map((sentence) => sentence.trim().replace(/\.$/, ''))
      // Some Hi-ToM stories end with a line of asterisks.
      .filter((sentence) => /\p{L}/u.test(sentence))
  );
}

function cutAtMissingStops(sentence: string): string[] {
  const cut = sentence.split(MISSING_STOP);
  // "Isla and Jack entered the attic" is one sentence: a list of names alone is not a sentence.
  return cut.reduce<string[]>((sentences, part) => {
    const last = sentences.at(-1);
    if (last !== undefined && UNFINISHED.test(last)) sentences[sentences.length - 1] = `${last} ${part}`;
    else sentences.push(part);
    return sentences;
  }, []);
}
