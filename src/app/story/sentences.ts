/** A small world's story in sentences that a person would say. */
import type { SmallStory } from '../../tom/text/read-small-story';

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

type Line = SmallStory['world']['lines'][number];

/** One line of the story in a few words, the actor included. */
export function lineWords(line: Line): string {
  const actor = capital(line.actor);
  switch (line.act) {
    case 'swap':
      return `${actor} swaps ${line.places.join(' ⇄ ')}`;
    case 'moved':
      return `${actor} moves it to ${line.place ?? ''}`;
    case 'stayed':
      return `${actor} leaves it`;
    case 'entered':
      return `${actor} comes back`;
    case 'exited':
      return `${actor} goes out`;
  }
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`;
}

export function storySentences({ world }: SmallStory): string {
  const { agents, object, start, lines } = world;
  return [
    `${listed(agents.map(capital))} are in a room`,
    `The ${object} lies in the ${start}`,
    ...lines.map((line) =>
      line.act === 'swap'
        ? `${capital(line.actor)} swaps what is in the ${line.places[0]} and in the ${line.places[1]}`
        : line.act === 'moved'
          ? `${capital(line.actor)} moves the ${object} to the ${line.place ?? ''}`
          : line.act === 'stayed'
            ? `${capital(line.actor)} leaves the ${object} where it is`
            : lineWords(line),
    ),
  ]
    .map((sentence) => `${sentence}.`)
    .join(' ');
}

export function questionSentence({ world: { chain, object } }: SmallStory): string {
  if (chain.length === 0) return `Where is the ${object}?`;
  const [first, ...rest] = chain.map(capital);
  return `Where does ${first} think ${rest.map((name) => `that ${name} thinks `).join('')}the ${object} is?`;
}
