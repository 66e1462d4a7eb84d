/** From the text of a small world's prompt (swap, nano) back to its world: what a run keeps of a question is its text. */
import type { NanoLine, NanoWorld } from '../worlds/nano';
import { smallEvents, type SeenEvent } from '../worlds/small-world';
import type { SwapLine, SwapWorld } from '../worlds/swap';

export type SmallStory =
  | { kind: 'swap'; world: SwapWorld; events: SeenEvent[] }
  | { kind: 'nano'; world: NanoWorld; events: SeenEvent[] };

/** @returns null for any text that is no story of these worlds */
export function readSmallStory(prompt: string): SmallStory | null {
  const sentences = prompt
    .replace(/<think>\s*$/, '')
    .split(/\s+\.\s+/)
    .map((sentence) => sentence.trim().split(/\s+/));
  const [people, announcement, ...rest] = sentences;
  const question = rest.pop();
  if (people.at(-1) !== 'entered' || announcement?.length !== 3 || announcement[1] !== 'in') return null;
  if (question?.[0] !== 'where' || question.at(-1) !== '?') return null;
  const [object, , start] = announcement;
  const chain = question.filter((_, i) => question[i + 1] === 'think');
  const shared = { agents: people.slice(0, -1), object, start, chain };
  if (rest.some(([, act]) => act === 'swap')) {
    const lines = rest.map(swapLine);
    if (!lines.every((line) => line !== null)) return null;
    const places = lines.flatMap((line) => (line.act === 'swap' ? line.places : []));
    const world: SwapWorld = { ...shared, lines, places: [...new Set([start, ...places])] };
    return { kind: 'swap', world, events: smallEvents(world) };
  }
  const lines = rest.map(nanoLine);
  if (!lines.every((line) => line !== null)) return null;
  const containers = [...new Set([start, ...lines.flatMap(({ place }) => place ?? [])])];
  const world: NanoWorld = { ...shared, lines, containers };
  return { kind: 'nano', world, events: smallEvents(world) };
}

function swapLine(words: string[]): SwapLine | null {
  const [actor, act, one, other] = words;
  if (act === 'swap' && words.length === 4) return { act, actor, places: [one, other] };
  return (act === 'entered' || act === 'exited') && words.length === 2 ? { act, actor } : null;
}

function nanoLine(words: string[]): NanoLine | null {
  const [actor, act, place] = words;
  if (act === 'moved' && words.length === 3) return { actor, act, place };
  const isPlain = act === 'stayed' || act === 'entered' || act === 'exited';
  return isPlain && words.length === 2 ? { actor, act } : null;
}
