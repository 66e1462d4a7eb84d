/**
 * Random completions for comparing the two reward implementations: gold traces of the item and of others, truncated, repeated
 * or shuffled, with other names and words, and with characters that the regular expressions of Python and JavaScript treat
 * differently.
 */
import type { Random } from '../../../src/base/random';
import { namesOf } from '../../../src/reward/claim-patterns';
import type { Item } from '../../../src/tom/item';
import { itemWorld } from '../../../src/tom/worlds/item-world';

const oddities = [
  '\u00a0', '\u0085', '\u001c', '\ufeff', '\u2028', '\u200b', '\n\n', '\r', '\t', 'İ', 'ß', 'Σ', '٣', '１', '½', '²', '😀', '𝟛',
  '’', '_', '**', '- ', '• ', '1. ', '2) ', '...', ';', '?', '!', '$', '(', '[', '\\', '"', 'é', 'e\u0301', 'ﬁ', '-',
] as const; // prettier-ignore

const phrases = [
  'So', 'Then', 'and', 'This means that', 'What decides it:', 'What decides it is that', 'At first', 'now', 'It', 'really',
  'did not see that', 'saw that', 'None of them saw that', 'Nobody noticed it', 'does not think that', 'thinks that',
  'believes', 'does not know', 'will look for it in', 'is in the', 'was taken away', 'both', 'The final answer is',
  'privately told', 'publicly claimed', 'told everyone', 'about', 'out loud', 'left', 'entered the', 'stayed',
  'made no movements and stayed in', 'moved it to', 'at the end', 'none', 'seen', 'start', 'last', 'so', ';', '.', 'yes', 'no',
  'does not know about it', 'knows about it', '<answer>', '</answer>', '<think>', '</think>', '</think> <answer>', '-1,234.50',
] as const; // prettier-ignore

const beliefs = ['thinks', 'believes', 'knows', 'does not think', 'doesn’t know', 'did not know', 'really thinks']; // prettier-ignore
const verbs = ['moved', 'put', 'took', 'carried', 'told', 'claimed', 'saw', 'did not see', 'noticed', 'left', 'entered']; // prettier-ignore

/** Names for generated sentences. */
interface Names {
  agents: readonly string[];
  things: readonly string[];
  places: readonly string[];
  all: readonly string[];
}

function namesIn(item: Item): Names {
  const some = (names: readonly string[]): readonly string[] => (names.length === 0 ? ['it'] : names);
  const gather = (agents: string[], things: string[], places: string[]): Names => ({
    agents: some(agents),
    things: some([...things, 'it']),
    places: some(places),
    all: some([...agents, ...things, ...places]),
  });
  const behind = itemWorld(item);
  if (behind === null) return gather(['Ann', 'Bob', 'Cyd'], ['pear'], [item.answer, 'box']);
  switch (behind.kind) {
    case 'swap': {
      const { agents, object, places } = behind.world;
      return gather(agents, [object], places);
    }
    case 'story': {
      const { agents, things, places } = namesOf(behind.world);
      return gather(agents, things, places);
    }
  }
}

function sentence(random: Random, { agents, things, places }: Names): string {
  const who = (): string => random.choice(agents);
  const thing = (): string => `${random.choice(['the ', 'the ', ''])}${random.choice(things)}`;
  const place = (): string => `${random.choice(['the ', 'the ', ''])}${random.choice(places)}`;
  const minds = Array.from(
    { length: 1 + random.integer(3) },
    () => `${random.choice(['', '', `${who()} and `])}${who()} ${random.choice(beliefs)} that `,
  );
  return random.choice([
    () => `${minds.join('')}${thing()} is${random.choice(['', ' still', ' now'])} in ${place()}.`,
    () => `${minds.join('')}${thing()} is in ${place()}.`,
    () =>
      `${who()} ${random.choice(verbs)} ${thing()} ${random.choice(['to', 'into', 'from here to', `from ${place()} to`])} ${place()}.`,
    () => `${who()} and ${who()} ${random.choice(['saw that', 'both noticed it', 'did not see that'])}.`,
    () =>
      `${who()} ${random.choice(['told', 'privately told', 'publicly claimed', 'tells'])} ${random.choice(['', who(), 'everyone'])} that ${thing()} is in ${place()}.`,
    () =>
      `${random.choice(['At first ', 'Initially ', ''])}${thing()} ${random.choice(['is', 'was', 'ended up'])}${random.choice(['', ' now', ' finally'])} in ${place()}${random.choice(['', ' at the end', ' now'])}.`,
    () => `${minds.slice(1).join('')}${who()} will look for it in ${place()}.`,
    () => `${who()} ${random.choice(['entered', 'left', 'exited', 'went into', 'stayed in'])} ${place()}.`,
    () => `What decides it: ${who()} moved ${thing()} to ${place()}.`,
    () => `${who()} and ${who()} ${random.choice(['entered', 'left'])}.`,
    () => `${random.choice(['Nobody', 'None of them', `${who()} and ${who()}`])} noticed it.`,
    () => `${who()} told ${random.choice(['', 'everyone ', `${who()} `])}about ${thing()}.`,
    () => `${thing()} was taken away.`,
    () => `The answer is ${who()} and ${who()}.`,
  ])();
}

function edited(random: Random, text: string, names: Names): string {
  const words = text.split(' ');
  const at = random.integer(words.length + 1);
  const span = 1 + random.integer(4);
  const insert = (...what: string[]): string =>
    [...words.slice(0, at), ...what, ...words.slice(at)].join(' ');
  return random.choice([
    () => [...words.slice(0, at), ...words.slice(at + span)].join(' '),
    () => insert(...words.slice(random.integer(words.length), at)),
    () => insert(random.choice(phrases)),
    () => insert(sentence(random, names)),
    () => insert(sentence(random, names)),
    () => words.with(Math.min(at, words.length - 1), random.choice(names.all)).join(' '),
    () => `${text.slice(0, at)}${random.choice(oddities)}${text.slice(at)}`,
    () =>
      text
        .split(/(?<=[.;])/)
        .map((part) => ({ part, draw: random.uniform() }))
        .sort((a, b) => a.draw - b.draw)
        .map(({ part }) => part)
        .join(''),
    () => text.slice(0, random.integer(text.length + 1)),
    () => (random.uniform() < 0.5 ? text.toUpperCase() : `${text} ${text}`),
  ])();
}

/** Draws one completion for `item`. */
export function drawCompletion(random: Random, item: Item, others: readonly Item[]): string {
  const names = namesIn(item);
  const source = random.uniform() < 0.8 ? item : random.choice(others);
  const traces = Object.values(source.traces ?? {});
  let text =
    traces.length === 0
      ? `${sentence(random, names)} </think> <answer> ${random.choice([item.answer, random.choice(names.all)])} </answer>`
      : random.choice(traces);
  const edits = random.integer(6);
  for (let edit = 0; edit < edits; edit++) text = edited(random, text, names);
  return text;
}
