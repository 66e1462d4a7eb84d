/**
 * A slow independent reader of swap stories. It sees only the text and shares no code with the simulator. For every
 * sentence it rereads the story from the start to find who was in the room and where the object was, and writes the
 * trace.
 */
export interface Reading {
  answer: string;
  /** The part of a full trace before `</think>`. */
  trace: string;
}

export function readSwapStory(story: string, question: string): Reading {
  const sentences = story.split(' . ').map((sentence) => sentence.replace(/ \.$/, '').split(' '));
  const agents = [...question.matchAll(/(\w+) think/g)].map((match) => match[1]);
  const clauses: string[] = [];
  let answer = '';
  for (let last = 1; last < sentences.length; last++) {
    const words = sentences[last];
    if (words[1] === 'exited') continue;
    const soFar = sentences.slice(0, last + 1);
    if (agents.every((agent) => isInside(agent, soFar))) {
      answer = placeOf(soFar);
      clauses.push(`${last === 1 ? 'start' : words[0]} ${answer}`);
    } else {
      clauses.push('none');
    }
  }
  return { answer, trace: [...clauses, `so ${answer}`].join(' ; ') };
}

/** Decided by the last entry or exit of the agent. */
function isInside(agent: string, sentences: string[][]): boolean {
  const moves = sentences.filter((words) => ['entered', 'exited'].includes(words.at(-1)!));
  return moves.findLast((words) => words.includes(agent))?.at(-1) === 'entered';
}

/** Traces each place back through the swaps to its origin; only one of them started with the object. */
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
