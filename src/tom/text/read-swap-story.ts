/** Parses the prompt text of a swap story back into its world. A run stores only the text of a question. */
import { swapEvents, type SeenEvent, type SwapLine, type SwapWorld } from '../worlds/swap';

export interface SwapStory {
  world: SwapWorld;
  events: SeenEvent[];
}

/** @returns null if the text is not a story of this world */
export function readSwapStory(prompt: string): SwapStory | null {
  const sentences = prompt
    .replace(/<think>\s*$/, '')
    .split(/\s+\.\s+/)
    .map((sentence) => sentence.trim().split(/\s+/));
  const [people, announcement, ...rest] = sentences;
  const question = rest.pop();
  if (people.at(-1) !== 'entered' || announcement?.length !== 3 || announcement[1] !== 'in') return null;
  if (question?.[0] !== 'where' || question.at(-1) !== '?') return null;
  const lines = rest.map(swapLine);
  if (!lines.every((line) => line !== null)) return null;
  const [object, , start] = announcement;
  const chain = question.filter((_, i) => question[i + 1] === 'think');
  const places = [...new Set([start, ...lines.flatMap((line) => (line.act === 'swap' ? line.places : []))])];
  const world = { agents: people.slice(0, -1), object, start, lines, places, chain };
  return { world, events: swapEvents(world) };
}

function swapLine(words: string[]): SwapLine | null {
  const [actor, act, one, other] = words;
  if (act === 'swap' && words.length === 4) return { act, actor, places: [one, other] };
  return (act === 'entered' || act === 'exited') && words.length === 2 ? { act, actor } : null;
}
