/**
 * Cutting a story into sentences: numbered bAbI lines, lines without a full stop, or sentences in a row, among them
 * ExploreToM's, some of which lack their full stop ("… of the letter opener Julia entered the room.").
 */

/** Where a sentence must begin although no full stop stands before it. */
const MISSING_STOP =
  /(?<=[a-z0-9"')])\s+(?=While this action was happening,|[A-Z][\w'-]* (?:entered the|left the|moved the|told (?:privately to|out loud)) )/;

export function sentencesOf(story: string): string[] {
  return (
    story
      .split('\n')
      .flatMap((line) => line.replace(/^\s*\d+\s+/, '').split(/(?<=\.)\s+(?=[A-Z])/))
      .flatMap(cutAtMissingStops)
      .map((sentence) => sentence.trim().replace(/\.$/, ''))
      // Some of Hi-ToM's stories end in a line of asterisks.
      .filter((sentence) => /\p{L}/u.test(sentence))
  );
}

function cutAtMissingStops(sentence: string): string[] {
  const cut = sentence.split(MISSING_STOP);
  // "Isla and Jack entered the attic" is one sentence: a list of names is no sentence of its own.
  return cut.reduce<string[]>((sentences, part) => {
    const last = sentences.at(-1);
    if (last !== undefined && / and$|,$|^[A-Z][\w'-]*$/.test(last))
      sentences[sentences.length - 1] = `${last} ${part}`;
    else sentences.push(part);
    return sentences;
  }, []);
}
