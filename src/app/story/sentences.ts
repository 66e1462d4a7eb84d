/** A swap story in everyday sentences. */
import { listed } from '../../tom/text/story-text';
import type { SwapStory } from '../../tom/text/read-swap-story';
import type { SwapLine } from '../../tom/worlds/swap';

export const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** One line of the story in a few words, with its actor. */
export function lineWords(line: SwapLine): string {
  const did = { entered: 'comes back', exited: 'goes out' };
  return `${capital(line.actor)} ${line.act === 'swap' ? `swaps ${line.places.join(' ⇄ ')}` : did[line.act]}`;
}

export function storySentences({ world }: SwapStory): string {
  const { agents, object, start, lines } = world;
  const sentences = [
    `${listed(agents.map(capital))} are in a room`,
    `The ${object} lies in the ${start}`,
    ...lines.map((line) =>
      line.act === 'swap'
        ? `${capital(line.actor)} swaps what is in the ${line.places[0]} and in the ${line.places[1]}`
        : lineWords(line),
    ),
  ];
  return `${sentences.join('. ')}.`;
}

export function questionSentence({ world: { chain, object } }: SwapStory): string {
  if (chain.length === 0) return `Where is the ${object}?`;
  const [first, ...rest] = chain.map(capital);
  return `Where does ${first} think ${rest.map((name) => `that ${name} thinks `).join('')}the ${object} is?`;
}
