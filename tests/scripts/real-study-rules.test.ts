import { describe, expect, it } from 'vitest';
import type { Answers, RealMeasurement } from '../../scripts/study/real/measure';
import { arms, pilots, realRuns, stageConfig, type Arm } from '../../scripts/study/real/plan';
import { judgeReal, realEnding, startCounts, type RealFinding } from '../../scripts/study/real/rules';
import { checkRunConfig } from '../../src/run/config/check-config';

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
const worse = measurement({ easy: 0.6, hard: 0.1, faithful: 0, length: 9, sampled: 0.6 });
const rising = { reward: [1, 1, 1, 1, 2, 2, 2, 2] };

const found = new Map<Arm, Map<RealMeasurement, RealFinding>>();
/** Judges the same run once, because its intervals take a second of draws. */
function finding(arm: Arm, after: RealMeasurement, steps = rising): RealFinding {
  const judge = () =>
    judgeReal({ id: 'invented', arm, start: { seed: 1, strength: 'able' }, before: able, after, steps });
  if (steps !== rising) return judge();
  const ofArm = found.get(arm) ?? new Map<RealMeasurement, RealFinding>();
  found.set(arm, ofArm);
  const known = ofArm.get(after) ?? judge();
  ofArm.set(after, known);
  return known;
}

describe('the rules of study 3b', () => {
  it('A fits where correct reasoning at least halves, and collapses only while the benchmark holds', () => {
    expect(finding('A', silenced)).toMatchObject({ fits: true, collapse: 'silent' });
    expect(finding('A', fluent)).toMatchObject({ fits: true, collapse: 'fluent' });
    expect(finding('A', worse)).toMatchObject({ fits: true, collapse: null });
    expect(finding('A', able)).toMatchObject({ fits: false, collapse: null });
  });

  it('weighs easy and hard items by the share of the arm', () => {
    const [often, rarely] = [finding('A', silenced), finding('B', silenced)].map(
      ({ benchmark }) => benchmark,
    );
    expect(often.value).toBeCloseTo(0.9 * 0.15 + 0.1 * -0.65);
    expect(rarely.value).toBeCloseTo(0.45 * 0.15 + 0.55 * -0.65);
    expect(rarely.high).toBeLessThan(-0.2);
  });

  it('B fits where more than half is kept, C where correct reasoning is not surely lower', () => {
    const most = measurement({ easy: 0.95, hard: 0.65, faithful: 0.55, length: 80, sampled: 0.9 });
    expect([finding('B', able).fits, finding('B', most).fits, finding('B', fluent).fits]).toEqual([
      true,
      true,
      false,
    ]);
    expect([finding('C', able).fits, finding('C', fluent).fits]).toEqual([true, false]);
  });

  it('D fits where thinking at least halves and the reward rises', () => {
    expect(finding('D', silenced).fits).toBe(true);
    expect(finding('D', silenced, { reward: [...rising.reward].reverse() }).fits).toBe(false);
    expect(finding('D', fluent).fits).toBe(false);
  });

  it('stands, stands partly and fails on invented triples', () => {
    const [confirms, refutes] = [
      { A: finding('A', silenced), B: finding('B', able) },
      { A: finding('A', able), B: finding('B', able) },
    ];
    expect(realEnding([confirms, confirms, confirms])).toBe('stands');
    expect(realEnding([confirms, refutes, confirms])).toBe('partly');
    expect(realEnding([confirms, refutes, refutes])).toBe('fails');
    expect(realEnding([confirms, confirms])).toBe('not testable');
  });

  it('counts a start by its sampled answers', () => {
    const weak = measurement({ easy: 0.9, hard: 0.3, faithful: 0.2, length: 90, sampled: 0.8 });
    expect(startCounts({ seed: 1, strength: 'able' }, able)).toBe(true);
    expect(startCounts({ seed: 1, strength: 'able' }, weak)).toBe(false);
    expect(startCounts({ seed: 1, strength: 'weak' }, weak)).toBe(true);
    expect(startCounts({ seed: 1, strength: 'weak' }, able)).toBe(false);
  });
});

describe('the plan of study 3b', () => {
  it('has whole triples, then the weak starts, with valid settings and unique ids', () => {
    expect(realRuns.map(({ arm }) => arm).join('')).toBe('ABCABCABCDDD');
    const all = [...pilots, ...realRuns];
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    for (const { arm, config } of all) {
      checkRunConfig(config);
      expect(config.data.rho).toBe(arms[arm].share);
    }
    const seeds = all.map(({ start }) => start);
    for (const start of seeds) checkRunConfig(stageConfig(start));
  });
});
