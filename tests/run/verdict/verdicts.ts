/** Verdicts and reports as a test needs them. */
import type { Conditions, EvalReport, Verdict } from '../../../src/run/record/evaluation';
import { wilson } from '../../../src/reward/accuracy';

export const evalReport = (changes: Partial<EvalReport> = {}): EvalReport => ({
  step: 0,
  overall: wilson(50, 100),
  belief: wilson(50, 100),
  factual: wilson(0, 0),
  byOrder: {},
  heldOut: {},
  shortcutRight: wilson(40, 75),
  shortcutWrong: wilson(10, 25),
  shortcutLine: 0.75,
  formatRate: 1,
  meanLength: 26,
  meanThinkLength: 20,
  emptyThinkFraction: 0.1,
  traceValidity: 0.6,
  traceCoverage: 0.5,
  faithful: 0.4,
  faithfulWrong: 0.3,
  rightAnswerWrongTrace: 0.3,
  samples: [],
  rows: [],
  ...changes,
});

const estimate = (value: number) => ({ value, low: value - 0.01, high: value + 0.01 });
const nothing: Conditions = {
  faithfulAtStart: true,
  aboveChance: true,
  silent: false,
  wrongHalved: false,
  faithfulHalved: false,
  wrongKept: false,
  faithfulKept: false,
  wrongHigher: false,
};

export function verdict(
  changes: Partial<Omit<Verdict, 'conditions'>> & { conditions?: Partial<Conditions> } = {},
): Verdict {
  const paired = { count: 1500, before: 0.7, now: 0.9, change: estimate(0.2) };
  return {
    step: 150,
    provisional: false,
    ending: 'too close to call',
    missing: [],
    length: { before: 24, now: 5, ratio: estimate(0.21) },
    belief: paired,
    faithful: { count: 1500, before: 0.5, now: 0.1, change: estimate(-0.4) },
    wrong: {
      ...{ count: 200, before: 0.6, now: 0.05, change: estimate(-0.55) },
      ...{ start: estimate(0.6), ratio: estimate(0.08), chance: 0.2 },
    },
    faithfulWrong: {
      ...{ count: 200, before: 0.4, now: 0.08, change: estimate(-0.32) },
      ...{ start: estimate(0.4), ratio: estimate(0.2) },
    },
    sampled: null,
    ...changes,
    conditions: { ...nothing, ...changes.conditions },
  };
}
