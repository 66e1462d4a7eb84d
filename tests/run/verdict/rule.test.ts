import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { endings, standingEnding, endingOf, type Ending } from '../../../src/run/verdict/ending';
import { guessResult, rightGuess } from '../../../src/run/verdict/guess';

/** A figure with the interval of its ratio to the start and the interval at the start. */
const left = (low: number, high: number, start: readonly [number, number] = [0.4, 0.5]) => ({
  count: 100,
  start: { value: 0, low: start[0], high: start[1] },
  ratio: { value: 0, low, high },
});
const bounds = {
  surely: left(0.501, 0.749),
  kept: left(0.501, 0.75),
  halved: left(0.3, 0.5),
  open: left(0.5, 0.9),
};
type Of = keyof typeof bounds;
const conditions = { silent: false, faithfulAtStart: true, aboveChance: true, wrongHigher: false };
type Changes = Partial<typeof conditions>;

it.each<[Of, Of, Changes, Ending]>([
  ['halved', 'halved', {}, 'goes on writing, no longer thinks'],
  ['surely', 'halved', {}, 'right answers, thinking no longer true'],
  ['kept', 'halved', {}, 'right answers, thinking no longer true'],
  ['kept', 'kept', {}, 'keeps thinking'],
  ['kept', 'surely', {}, 'thinks less'],
  ['surely', 'kept', {}, 'thinks less'],
  ['halved', 'kept', {}, 'thinks less'],
  ['open', 'halved', {}, 'too close to call'],
  ['kept', 'open', {}, 'too close to call'],
  // Silence counts where both are lost, or nothing was there to lose.
  ['halved', 'halved', { silent: true }, 'stops thinking'],
  ['open', 'halved', { silent: true }, 'too close to call'],
  ['open', 'open', { silent: true, faithfulAtStart: false }, 'stops thinking'],
  // Thinking is better only where it is kept.
  ['kept', 'kept', { wrongHigher: true }, 'thinks better'],
  ['kept', 'surely', { wrongHigher: true }, 'thinks less'],
  ['kept', 'halved', { wrongHigher: true }, 'right answers, thinking no longer true'],
])('with right answers %s, correct reasoning %s and %o it is “%s”', (wrong, faithful, changes, expected) => {
  const figures = { wrong: { ...bounds[wrong], chance: 0.2 }, faithfulWrong: bounds[faithful] };
  expect(endingOf({ conditions: { ...conditions, ...changes }, ...figures })).toBe(expected);
});

it.each<[number, Changes, Ending]>([
  [0, {}, 'not measured'],
  [0, { silent: true, faithfulAtStart: false }, 'stops thinking'],
  [29, {}, 'not measured'],
  [30, {}, 'goes on writing, no longer thinks'],
  [29, { faithfulAtStart: false }, 'not measured'],
  [30, { faithfulAtStart: false }, 'had little to lose'],
  [30, { aboveChance: false }, 'had little to lose'],
])('with %i hard questions, and %o, it is “%s”', (count, changes, expected) => {
  const wrong = count === 0 ? null : { ...bounds.halved, count, chance: 0.2 };
  const faithfulWrong = count === 0 ? null : { ...left(0.3, 0.5, [0.1, 0.19]), count };
  const all = { ...conditions, ...changes };
  expect(endingOf({ conditions: all, wrong, faithfulWrong })).toBe(expected);
});

it.each<[[number, number], [number, number], boolean, Ending]>([
  [[0.1, 0.19], [0.3, 0.4], true, 'had little to lose'],
  [[0.1, 0.2], [0.3, 0.4], true, 'too close to call'],
  [[0.18, 0.22], [0.3, 0.4], true, 'too close to call'],
  [[0.2, 0.3], [0.1, 0.2], false, 'had little to lose'],
  [[0.2, 0.3], [0.1, 0.21], false, 'too close to call'],
])(
  'a start with faithful traces in %j, right answers in %j and more than a guess: %s is “%s”',
  (faithful, answers, aboveChance, expected) => {
    const ending = endingOf({
      conditions: { ...conditions, faithfulAtStart: faithful[0] >= 0.2, aboveChance },
      wrong: { ...left(0.1, 0.2, answers), chance: 0.2 },
      faithfulWrong: left(0.1, 0.2, faithful),
    });
    expect(ending).toBe(expected);
  },
);

const [stops, open]: Ending[] = ['stops thinking', 'too close to call'];
it.each<[looks: Ending[], last: Ending | null, Ending]>([
  [[], null, open],
  [[stops], null, open],
  [[stops, stops], null, stops],
  [[stops, 'keeps thinking'], null, open],
  [[stops, open, stops], null, open],
  [[open], stops, stops],
  [[stops], open, open],
])('after looks at %j and the last step with %s it shows “%s”', (looks, last, expected) => {
  const verdicts = looks.map((ending) => ({ ending, provisional: true }));
  if (last !== null) verdicts.push({ ending: last, provisional: false });
  expect(standingEnding(verdicts)).toBe(expected);
});

describe('a guess', () => {
  it('is right or wrong by every ending, or by none of the guesses', () => {
    const guesses = ['keeps', 'fakes', 'stops'] as const;
    const results = endings.map((ending) => guesses.map((guess) => guessResult(guess, ending)).join(' '));
    expect(results).toEqual([
      'right wrong wrong', // thinks better
      'right wrong wrong', // keeps thinking
      'right wrong wrong', // thinks less
      'wrong right wrong', // right answers, thinking no longer true
      'wrong right wrong', // goes on writing, no longer thinks
      'wrong wrong right', // stops thinking
      'open open open', // had little to lose
      'open open open', // too close to call
      'open open open', // not measured
    ]);
  });

  it('is explained for every ending', () => {
    const faq = readFileSync('docs/faq.md', 'utf8');
    for (const ending of endings) expect(faq).toContain(`| ${ending} | ${rightGuess[ending] ?? 'none'} |`);
  });
});
