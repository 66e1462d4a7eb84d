import { describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../../src/base/random';
import type { ItemOutcome } from '../../../src/run/verdict/outcomes';
import { endings, oldEnding, renamed, type Ending, type Measured } from '../../../src/run/verdict/ending';
import { verdictOf } from '../../../src/run/verdict/verdict';
import type { PairedMean, Verdict } from '../../../src/run/record/evaluation';
import { sampled } from '../../fixtures/sample';

/** How a model does on items whose shortcut is right nine times in ten. */
interface Behaviour {
  right: number;
  wrong: number;
  faithful: number;
  tokens: number;
}

const reasoner: Behaviour = { right: 0.97, wrong: 0.6, faithful: 0.5, tokens: 20 };
const silent: Behaviour = { right: 1, wrong: 0.02, faithful: 0, tokens: 0 };
const writing: Behaviour = { right: 1, wrong: 0.02, faithful: 0.05, tokens: 19 };
const better: Behaviour = { right: 1, wrong: 0.85, faithful: 0.6, tokens: 20 };

function answers(count: number, behaviour: Behaviour, random: Random, orders = [1, 2, 3]): ItemOutcome[] {
  return Array.from({ length: count }, (_, index): ItemOutcome => {
    const easy = index % 10 !== 0;
    return {
      order: orders[index % orders.length],
      correct: random.uniform() < (easy ? behaviour.right : behaviour.wrong),
      easy,
      answers: 5,
      thinkTokens: Math.round(behaviour.tokens * (0.75 + 0.5 * random.uniform())),
      trace: random.uniform() < behaviour.faithful ? 'faithful' : 'false',
    };
  });
}

function judge(before: Behaviour, now: Behaviour, count = 2000, seed = 5, draws = 2000): Verdict {
  const random = createRandom(seed, 77);
  return verdictOf(answers(count, before, random), answers(count, now, random), {
    step: 150,
    provisional: false,
    draws,
  });
}

/** Options of a verdict at the end of a run. */
const options = { step: 1, provisional: false, draws: 500 };

const RUNS = sampled(40, 1000);
/** Three standard errors of a fraction over `RUNS` runs. */
const threeErrorsOf = (fraction: number): number => 3 * Math.sqrt((fraction * (1 - fraction)) / RUNS);
const threeErrors = threeErrorsOf(0.05);

/** The fraction of runs that differ by chance alone in which each ending is called. */
function calls(before: Behaviour, now: Behaviour, items: number): Record<Ending, number> {
  const counts = Object.fromEntries(endings.map((ending) => [ending, 0])) as Record<Ending, number>;
  for (let seed = 0; seed < RUNS; seed++) counts[judge(before, now, items, seed, 300).ending] += 1 / RUNS;
  return counts;
}

describe('the verdict', () => {
  it.each<[Ending, Behaviour, items?: number]>([
    ['stops thinking', silent],
    ['goes on writing, no longer thinks', writing],
    ['keeps thinking', reasoner],
    ['thinks better', better],
    ['right answers, thinking no longer true', { ...reasoner, wrong: 0.5, faithful: 0.05 }],
    ['thinks less', { ...reasoner, wrong: 0.41, faithful: 0.34 }, 10_000],
    ['too close to call', { ...reasoner, wrong: 0.3, faithful: 0.25 }],
  ])('says of a run that it %s', (ending, now, items = 2000) => {
    const verdict = judge(reasoner, now, items);
    expect(verdict.ending).toBe(ending);
    expect(Math.abs(verdict.length.now - now.tokens)).toBeLessThan(1);
    expect(verdict.missing.length > 0).toBe(/^right|less$|close/.test(ending));
  });

  it('goes by the items whose shortcut is wrong alone', () => {
    const blind = { ...reasoner, right: 0.1 };
    expect(judge(reasoner, blind).ending).toBe('keeps thinking');
    const noWrong = (model: Behaviour, seed: number): ItemOutcome[] =>
      answers(2000, model, createRandom(seed)).map((outcome, index) =>
        index % 10 === 0 ? outcome : { ...outcome, trace: 'faithful' },
      );
    const gone = verdictOf(noWrong(reasoner, 1), noWrong(writing, 2), options);
    expect(gone.faithful!.now).toBeGreaterThan(0.9);
    expect(gone.ending).toBe('goes on writing, no longer thinks');
  });

  it.each([
    ['traces', { ...reasoner, faithful: 0.1 }],
    ['answers no better than a guess', { ...reasoner, wrong: 0.12 }],
  ])('says that there was little reasoning to lose, by %s, and that it stopped all the same', (_, weak) => {
    const verdict = judge(weak, silent);
    expect(verdict.ending).toBe('stops thinking');
    expect(verdict.missing[0]).toMatch(
      /^There was little reasoning to lose: .* needed 20 %.* a guess 20 %\)\.$/,
    );
    expect([29, 30].map((items) => judge(weak, silent, items).conditions.silent)).toEqual([false, true]);
    const { ending, missing } = judge(weak, writing);
    expect([ending, missing.length]).toEqual(['had little to lose', 1]);
  });

  it('asks the answers for more than a guess where one knows what a guess is', () => {
    const judged = (answersPossible: number | null): Verdict => {
      const random = createRandom(3);
      const of = (model: Behaviour): ItemOutcome[] =>
        answers(2000, model, random).map((outcome) => ({ ...outcome, answers: answersPossible }));
      return verdictOf(of(reasoner), of(writing), options);
    };
    expect(judged(5).wrong?.chance).toBeCloseTo(0.2, 12);
    expect(judged(1)).toMatchObject({ conditions: { aboveChance: false }, ending: 'had little to lose' });
    expect(judged(null)).toMatchObject({
      ...{ wrong: { chance: null }, conditions: { aboveChance: null } },
      ending: 'goes on writing, no longer thinks',
    });
  });

  it('keeps factual questions apart: learning them is no better reasoning', () => {
    const random = createRandom(3);
    const questions = (factual: number): ItemOutcome[] => [
      ...answers(1000, reasoner, createRandom(4)),
      ...answers(1000, { ...reasoner, right: factual, wrong: factual }, random, [0]),
    ];
    const verdict = verdictOf(questions(0.5), questions(0.99), options);
    expect(verdict.ending).toBe('keeps thinking');
    expect(verdict.belief.count).toBe(1000);
    expect(verdict.belief.change).toEqual({ value: 0, low: 0, high: 0 });
  });

  it('pairs the sampled answers to the questions of belief as well', () => {
    const outcomes = answers(400, reasoner, createRandom(2), [0, 1]);
    const before = '0'.repeat(400);
    const now = '01'.repeat(200);
    // Every other item is one of belief, and just these have become right.
    expect(verdictOf(outcomes, outcomes, { ...options, sampled: [before, now] }).sampled).toEqual({
      count: 200,
      before: 0,
      now: 1,
      change: { value: 1, low: 1, high: 1 },
    });
    expect(verdictOf(outcomes, outcomes, options).sampled).toBe(null);
  });

  it('has bounds as wide as theory says', () => {
    const { belief } = judge(reasoner, reasoner);
    const discordant = 2 * (0.9 * 0.97 * 0.03 + 0.1 * 0.6 * 0.4);
    expect(belief.change.high - belief.change.low).toBeCloseTo(2 * 1.645 * Math.sqrt(discordant / 2000), 2);
  });

  it('pairs a look of fewer items with the first ones of the start', () => {
    const random = createRandom(6);
    const start = answers(2000, reasoner, random);
    const look = answers(500, silent, random);
    expect(verdictOf(start, look, options)).toEqual(verdictOf(start.slice(0, 500), look, options));
  });
});

describe('hard questions beside the fixed set', () => {
  const random = createRandom(12);
  const of = (model: Behaviour, count: number): ItemOutcome[] => answers(count, model, random);
  const hardOf = (model: Behaviour): ItemOutcome[] =>
    of(model, 60).map((one) => ({
      ...one,
      easy: false,
      correct: random.uniform() < model.wrong,
      trace: random.uniform() < model.faithful ? 'faithful' : 'false',
    }));

  it('give a verdict that few items have not, and change no other figure', () => {
    const [before, now] = [of(reasoner, 40), of(silent, 40)];
    const few = verdictOf(before, now, options);
    const hard = [hardOf(reasoner), hardOf(silent)] as const;
    const verdict = verdictOf(before, now, { ...options, hard });
    expect([few.wrong!.count, verdict.wrong!.count, verdict.faithfulWrong!.count]).toEqual([4, 64, 64]);
    expect(verdict.ending).toBe('stops thinking');
    const plain = ({ count, before, now }: PairedMean) => ({ count, before, now });
    expect(plain(verdict.belief)).toEqual(plain(few.belief));
    expect(plain(verdict.faithful!)).toEqual(plain(few.faithful!));
    for (const { length } of [few, verdict]) expect(Math.abs(length.before - 20)).toBeLessThan(1);
  });

  it('are those of the start', () => {
    const other = hardOf(reasoner).map((one) => ({ ...one, order: 4 }));
    const judged = () =>
      verdictOf(of(reasoner, 40), of(reasoner, 40), { ...options, hard: [hardOf(reasoner), other] });
    expect(judged).toThrow(expect.objectContaining({ code: 'rl/unpaired' }));
  });
});

it('calls nothing on items of factual questions alone, without a world, or without a shortcut', () => {
  const random = createRandom(8);
  const judged = (change: (outcome: ItemOutcome) => ItemOutcome): Verdict =>
    verdictOf(
      answers(1000, reasoner, random).map(change),
      answers(1000, better, random).map(change),
      options,
    );
  expect(judged((outcome) => ({ ...outcome, order: 0 })).missing[0]).toContain('there are 0.');
  expect(judged((outcome) => ({ ...outcome, trace: null })).missing[0]).toContain('No simulated world');
  expect(judged((outcome) => ({ ...outcome, easy: null })).missing[0]).toContain('there are 0.');
});

it.each([
  { ...reasoner, wrong: 0.5, faithful: 0.05 },
  { ...reasoner, wrong: 0.41, faithful: 0.34 },
  { ...reasoner, wrong: 0.3, faithful: 0.25 },
  reasoner,
])('gives a verdict from before the endings had names its name, by its own measurements: %j', (now) => {
  const verdict = judge(reasoner, now);
  expect(
    renamed<Measured & { ending: Ending | typeof oldEnding }>({ ...verdict, ending: oldEnding }),
  ).toEqual(verdict);
  // Any other ending of an old record is kept.
  expect(renamed({ ...verdict, ending: 'stops thinking' }).ending).toBe('stops thinking');
});

describe('in a simulation of many runs', () => {
  const few = [[300, 0.08] as const];
  it.each([300, 1000])('an unchanged run, on %i items, is called lost in at most one of forty', (items) => {
    for (const start of [reasoner, { ...reasoner, wrong: 0.35, faithful: 0.3 }]) {
      const called = calls(start, start, items);
      expect(called['stops thinking'] + called['goes on writing, no longer thinks']).toBeLessThanOrEqual(
        0.025,
      );
      expect(called['thinks better']).toBeLessThanOrEqual(0.05 + threeErrors);
    }
  });

  it.each<[Ending, Behaviour]>([
    ['stops thinking', silent],
    ['goes on writing, no longer thinks', writing],
    ['keeps thinking', reasoner],
    ['thinks better', better],
  ])('“%s” is found in at least nine of ten', (ending, now) => {
    expect(calls(reasoner, now, 1000)[ending]).toBeGreaterThanOrEqual(0.9);
  });

  // Everything else is lost, so this one condition decides. With the fewest items that a verdict accepts (30 hard
  // ones), the bound of a ratio is too narrow: 8 of 100 runs fall below it.
  it.each<[string, Behaviour, Behaviour]>([
    ['half of the right answers are left', reasoner, { ...silent, wrong: 0.3 }],
    ['half of the faithful traces are left', reasoner, { ...silent, faithful: 0.25 }],
    ['half of the length is left', reasoner, { ...silent, tokens: 10 }],
  ])('a run in which %s is called “stops thinking” in about one of twenty', (_, before, now) => {
    for (const [items, rate] of sampled(few, [...few, [1000, 0.06] as const])) {
      let called = 0;
      for (let seed = 0; seed < RUNS; seed++) {
        const { ending, conditions } = judge(before, now, items, seed, 300);
        if (conditions.faithfulAtStart && ending === 'stops thinking') called += 1 / RUNS;
      }
      expect(called, `${items} items`).toBeLessThanOrEqual(rate + threeErrorsOf(rate));
    }
  });

  const lost = 'goes on writing, no longer thinks';
  it.each<[string, Behaviour, Behaviour, Ending]>([
    ['that began with a fifth of faithful traces', { ...reasoner, faithful: 0.2 }, writing, lost],
    ['that began with guesses', { ...reasoner, wrong: 0.2 }, writing, lost],
    ['that keeps half of its right answers', reasoner, { ...reasoner, wrong: 0.3 }, 'keeps thinking'],
    ['that keeps half of its faithful traces', reasoner, { ...reasoner, faithful: 0.25 }, 'keeps thinking'],
  ])('of a run %s a loss, or none, is claimed in about one of twenty', (_, before, now, ending) => {
    expect(calls(before, now, 300)[ending]).toBeLessThanOrEqual(0.05 + threeErrors);
  });
});
