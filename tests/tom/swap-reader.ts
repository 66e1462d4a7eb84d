/**
 * The slow independent reader of swap stories: it knows the text and nothing else, and shares no code with the
 * simulator. For every sentence it asks again, by reading the story from its first word, who was in the room and where
 * the object was; and it writes down the trace as it goes.
 */
export interface Reading {
  answer: string;
  /** What a full trace says before `</think>`. */
  trace: string;
}

export function readSwapStory(story: string, question: string): Reading {
  const sentences = story.split(' . ').map((sentence) => sentence.replace(/ \.$/, '').split(' '));
  const asked = [...question.matchAll(/(\w+) think/g)].map((match) => match[1]);
  const clauses: string[] = [];
  let answer = '';
  for (let last = 1; last < sentences.length; last++) {
    const words = sentences[last];
    if (words[1] === 'exited') continue;
    const soFar = sentences.slice(0, last + 1);
    if (asked.every((agent) => isInside(agent, soFar))) {
      answer = placeOf(soFar);
      clauses.push(`${last === 1 ? 'start' : words[0]} ${answer}`);
    } else {
      clauses.push('none');
    }
  }
  return { answer, trace: [...clauses, `so ${answer}`].join(' ; ') };
}

/** By the last sentence about coming or going that names the agent. */
function isInside(agent: string, sentences: string[][]): boolean {
  const moves = sentences.filter((words) => ['entered', 'exited'].includes(words.at(-1)!));
  return moves.findLast((words) => words.includes(agent))?.at(-1) === 'entered';
}

/** Back from the end: where must the object have been before each swap, to lie in this place now? Only one place began with it. */
function placeOf(sentences: string[][]): string {
  const places = new Set(sentences.flatMap((words) => (words[1] === 'swap' ? words.slice(2) : [])));
  const start = sentences[1][2];
  return [...places, start].find((candidate) => originOf(candidate, sentences) === start)!;
}

function originOf(place: string, sentences: string[][]): string {
  let origin = place;
  for (const words of [...sentences].reverse()) {
    if (words[1] !== 'swap') continue;
    if (origin === words[2]) origin = words[3];
    else if (origin === words[3]) origin = words[2];
  }
  return origin;
}
