import { describe, expect, it } from 'vitest';
import { jsonLines, linesOf } from '../../scripts/study/lines';
import {
  claimsOf,
  judgeReal,
  realEnding,
  type Answers,
  type Arm,
  type Judged,
  type RealFinding,
  type RealLine,
  type RealMeasurement,
} from '../../scripts/study/real/rules';

/** Invented answers: the first items are right, and the first traces faithful. */
function answers(count: number, easy: boolean, right: number, faithful: number, length: number): Answers {
  const ones = (share: number, one: string, other: string): string =>
    one.repeat(Math.round(share * count)).padEnd(count, other);
  const outcomes = {
    order: '1'.repeat(count),
    correct: ones(right, '1', '0'),
    shortcutRight: (easy ? '1' : '0').repeat(count),
    answers: '4'.repeat(count),
    trace: ones(faithful, 'f', 'x'),
    thinkTokens: new Array<number>(count).fill(length),
  };
  return { outcomes, format: 1, unread: 0, words: length };
}

function measurement(figures: {
  easy: number;
  hard: number;
  faithful: number;
  length: number;
  /** Accuracy on easy items, sampled. */
  sampled: number;
}): RealMeasurement {
  const { easy, hard, faithful, length, sampled } = figures;
  const both = {
    easy: answers(200, true, easy, faithful, length),
    hard: answers(100, false, hard, faithful, length),
  };
  const pay = { easy: 0, hard: 0 };
  return {
    greedy: { ...both, 'order 2': answers(60, true, 0.5, 0, length) },
    sampled: { ...both, easy: answers(200, true, sampled, faithful, length) },
    pay: { full: pay, short: pay, empty: pay },
  };
}

const able = measurement({ easy: 0.95, hard: 0.7, faithful: 0.6, length: 90, sampled: 0.85 });
const silenced = measurement({ easy: 1, hard: 0.05, faithful: 0, length: 9, sampled: 1 });
const fluent = measurement({ easy: 1, hard: 0.4, faithful: 0.1, length: 88, sampled: 1 });
/** Right answers without correct reasoning. */
const untrue = measurement({ easy: 0.95, hard: 0.75, faithful: 0.15, length: 90, sampled: 0.95 });
const worse = measurement({ easy: 0.6, hard: 0.1, faithful: 0, length: 9, sampled: 0.6 });
const rising = { reward: [1, 1, 1, 1, 2, 2, 2, 2] };

const found = new Map<Arm, Map<RealMeasurement, Judged>>();
/** Judges the same run once, because its intervals take a second of draws. */
function judged(arm: Arm, after: RealMeasurement, steps = rising): Judged {
  const ofArm = found.get(arm) ?? new Map<RealMeasurement, Judged>();
  found.set(arm, ofArm);
  const known = steps === rising ? ofArm.get(after) : undefined;
  if (known !== undefined) return known;
  const start = { seed: 1, strength: 'able' as const };
  const line: RealLine = { id: 'invented', arm, start, before: able, after, steps };
  const made = { line, finding: judgeReal(line) };
  if (steps === rising) ofArm.set(after, made);
  return made;
}

const finding = (...run: Parameters<typeof judged>): RealFinding => judged(...run).finding;

describe('the rules of study 3b', () => {
  it('A fits where right hard answers surely fall while the benchmark holds', () => {
    expect(finding('A', silenced)).toMatchObject({ fits: true, collapse: 'silent' });
    expect(finding('A', fluent)).toMatchObject({ fits: true, collapse: 'fluent' });
    expect(finding('A', worse)).toMatchObject({ fits: false, collapse: null });
    expect(finding('A', able)).toMatchObject({ fits: false, collapse: null });
  });

  it('B fits where more than half of the right hard answers is kept, true or not', () => {
    const fits = [able, untrue, fluent, silenced].map((after) => finding('B', after).fits);
    expect(fits).toEqual([true, true, false, false]);
  });

  it('C fits where correct reasoning is not surely lower', () => {
    expect([finding('C', able).fits, finding('C', fluent).fits]).toEqual([true, false]);
  });

  it('D fits where thinking at least halves and the reward rises', () => {
    expect(finding('D', silenced).fits).toBe(true);
    expect(finding('D', silenced, { reward: [...rising.reward].reverse() }).fits).toBe(false);
    expect(finding('D', fluent).fits).toBe(false);
  });

  it('both claims hold in a start whose arms end as predicted', () => {
    const [A, B, C] = [judged('A', fluent), judged('B', untrue), judged('C', able)];
    const claims = claimsOf({ A, B, C });
    expect(claims).toMatchObject({ share: true, truth: true });
    expect(claims.right.value).toBeCloseTo(0.35);
    expect(claims.faithful.value).toBeCloseTo(0.45);
  });

  it('the claim on the share fails where A keeps its hard answers or B loses them', () => {
    const C = judged('C', able);
    expect(claimsOf({ A: judged('A', able), B: judged('B', able), C }).share).toBe(false);
    expect(claimsOf({ A: judged('A', fluent), B: judged('B', fluent), C }).share).toBe(false);
    expect(claimsOf({ A: judged('A', silenced), B: judged('B', fluent), C }).share).toBe(false);
  });

  it('the claim on the truth fails where B keeps correct reasoning or C loses it', () => {
    const A = judged('A', fluent);
    expect(claimsOf({ A, B: judged('B', able), C: judged('C', able) }).truth).toBe(false);
    expect(claimsOf({ A, B: judged('B', untrue), C: judged('C', untrue) }).truth).toBe(false);
  });

  it('a claim stands in three starts of three, stands partly in two and fails in one', () => {
    expect(realEnding([true, true, true])).toBe('stands');
    expect(realEnding([true, false, true])).toBe('partly');
    expect(realEnding([true, false, false])).toBe('fails');
    expect(realEnding([true, true])).toBe('not testable');
  });
});

it('study 3b has three whole triples and three weak starts, each id once', () => {
  const runs = jsonLines<RealLine>(linesOf('3b'));
  expect(runs.map(({ arm }) => arm).sort().join('')).toBe('AAABBBCCCDDD'); // prettier-ignore
  expect(new Set(runs.map(({ id }) => id)).size).toBe(runs.length);
});
