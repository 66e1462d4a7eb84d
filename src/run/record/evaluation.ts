/** What an evaluation finds, with the verdict that goes with it: schemas, and the types read off them. */
import * as v from 'valibot';
import type { SuiteRow } from '../../reward/suites';
import { endings, oldEnding, type Look } from '../verdict/ending';
import type { TraceOutcome } from '../verdict/outcomes';
import { renamed } from '../verdict/rule';
import { accuracy, byName, count, flag, listOf, metric, name, place, step, text } from './record-fields';
import { rolloutSchema } from './rollout-record';

const itemsAtMost = 20_000;
/** A character for each item. */
function perItem(character: string) {
  const kind = `text of at most ${itemsAtMost} characters, each of ${character}`;
  return v.pipe(
    v.string(kind),
    v.maxLength(itemsAtMost, kind),
    v.regex(new RegExp(`^[${character}]*$`), kind),
  );
}

/** One character per item and column (`outcome-table.ts`); an item stands at the same place in every column. */
const outcomesSchema = v.pipe(
  v.object({
    /** Order of belief, in base 36. */
    order: perItem('0-9a-z'),
    /** `1` where the answer is right, else `0`. */
    correct: perItem('01'),
    /** `1` and `0`; `-` where no shortcut is known. */
    shortcutRight: perItem('01-'),
    /** How many are possible, in base 36; `-` where that is not known. */
    answers: perItem('0-9a-z-'),
    /** `f`aithful, `p`artial, `x` false, `e`mpty, `c`ut; `-` without a world. */
    trace: perItem('fpxec-'),
    thinkTokens: listOf(place, itemsAtMost),
  }),
  v.check(
    ({ thinkTokens, ...columns }) =>
      Object.values(columns).every(({ length }) => length === thinkTokens.length),
    'one value per item in every column',
  ),
);

export type OutcomeTable = v.InferOutput<typeof outcomesSchema>;

/** The items of the fixed set answered once each at the run's temperature. */
const sampledSchema = v.object({
  temperature: metric,
  /** Orders 1 and above, and order 0. */
  belief: accuracy,
  factual: accuracy,
  /** By item of the fixed set, as in `OutcomeTable`. */
  correct: perItem('01'),
});

export type SampledReport = v.InferOutput<typeof sampledSchema>;

/** What answers owe to their traces: fractions of the traces that could be falsified, with 95 % intervals. */
const causalUseSchema = v.object({
  /** Answers that change when the trace is cut. */
  cut: accuracy,
  /** Answers that change when a statement is falsified. */
  changed: accuracy,
  /** Answers that become what the false statement leads to. */
  followed: accuracy,
});

export type CausalUse = v.InferOutput<typeof causalUseSchema>;

const suiteRow: v.GenericSchema<SuiteRow> = v.object({
  task: name,
  part: name,
  inDistribution: flag,
  accuracy,
  macroF1: v.nullable(v.object({ macroF1: metric, corruption: metric })),
  shortcutLine: v.nullable(metric),
  shortcutConflict: v.nullable(accuracy),
});

export const reportSchema = v.object({
  step,
  /** All items of the fixed greedy set, which are of the training orders; the held-out sets stand apart. */
  overall: accuracy,
  /** Of the set that early stopping and the best checkpoint go by, where the run has one of its own. */
  validation: v.optional(accuracy),
  /** Of the fixed set, the questions of belief (orders 1 and above), and the factual ones (order 0). */
  belief: accuracy,
  factual: accuracy,
  /** What became of each item of the fixed set, by which a verdict is paired; left out of recordings. */
  outcomes: v.optional(outcomesSchema),
  /** The same of the hard questions that are drawn beside the fixed set, where it has few. */
  hard: v.optional(outcomesSchema),
  /** At step 0, at the end of a warm start and at the last step. */
  sampled: v.optional(sampledSchema),
  /** At the same steps, for worlds whose traces can be falsified. */
  causalUse: v.optional(causalUseSchema),
  /** By order of belief, the held-out order included. */
  byOrder: byName(accuracy),
  /** Sets that training never sees, by name: `order 4`, `re-entry`, `longer stories`, `other world`. */
  heldOut: byName(accuracy),
  /** Where the shortcut's answer is right, and where it is wrong: there those that are drawn beside the fixed set, too. */
  shortcutRight: accuracy,
  shortcutWrong: accuracy,
  /** Accuracy that the shortcut alone would have. */
  shortcutLine: metric,
  /** Mean total of a custom reward on the fixed set; left out of runs without one. */
  customReward: v.optional(metric),
  formatRate: metric,
  meanLength: metric,
  meanThinkLength: metric,
  emptyThinkFraction: metric,
  traceValidity: metric,
  traceCoverage: metric,
  /** F and F_W: fractions of faithful traces to the questions of belief, and to those on which the shortcut is wrong. */
  faithful: metric,
  faithfulWrong: metric,
  /** Of the right answers, the fraction whose trace says something false. */
  rightAnswerWrongTrace: metric,
  /** Mean probability that the think block closes at once: the earliest sign of a collapse. */
  closeThinkProbability: metric,
  /** Greedy completions of a few fixed items, to read first against now. */
  samples: listOf(rolloutSchema, 1000),
  /** The same answers, and those to the tasks of the configuration, by task and part. */
  rows: listOf(suiteRow, 10_000),
});

export type EvalReport = v.InferOutput<typeof reportSchema>;

/** A figure with its one-sided 95 % bounds. */
const estimateSchema = v.object({ value: metric, low: metric, high: metric });

export type Estimate = v.InferOutput<typeof estimateSchema>;

/** A mean before and now, with the paired change. */
const paired = { count, before: metric, now: metric, change: estimateSchema };
const pairedSchema = v.object(paired);

export type PairedMean = v.InferOutput<typeof pairedSchema>;

/** A mean where the shortcut is wrong, with its bounds at the start and what is left of it. */
const ratioSchema = v.object({ ...paired, start: estimateSchema, ratio: estimateSchema });

export type Ratio = v.InferOutput<typeof ratioSchema>;

/** Which conditions hold; one that cannot be judged does not. */
const conditionsSchema = v.object({
  /** C0; null where chance is not known, and the faithful traces alone decide. */
  faithfulAtStart: flag,
  aboveChance: v.nullable(flag),
  silent: flag,
  wrongHalved: flag,
  faithfulHalved: flag,
  wrongKept: flag,
  faithfulKept: flag,
  wrongHigher: flag,
});

export type Conditions = v.InferOutput<typeof conditionsSchema>;

const fractions: Record<TraceOutcome, typeof metric> = {
  faithful: metric,
  partial: metric,
  false: metric,
  empty: metric,
  cut: metric,
};

/** The formulas stand in `verdict.ts`. */
const verdictEntries = v.object({
  step,
  /** The step that it compares with, the end of a warm start; left out where that is step 0. */
  against: v.optional(step),
  /** A look in between, which counts only together with the one before it. */
  provisional: flag,
  ending: v.picklist([...endings, oldEnding]),
  /** What the ending goes by, where it is no plain one, a sentence each; empty otherwise. */
  missing: listOf(text, 10),
  conditions: conditionsSchema,
  /** Think tokens of the questions of belief: means, and the ratio. */
  length: v.object({ before: metric, now: metric, ratio: estimateSchema }),
  /** Accuracy on the questions of belief, greedy. */
  belief: pairedSchema,
  /** F; null where no simulated world stands behind the items. */
  faithful: v.nullable(pairedSchema),
  /** Of the items whose trace was faithful at the start, what the trace is now: fractions that add up to 1. */
  fate: v.nullable(v.object(fractions)),
  /** Where the shortcut is right; null where there are no such items. */
  right: v.nullable(pairedSchema),
  /** W, with what a guess would score, null where that is not known. */
  wrong: v.nullable(v.object({ ...ratioSchema.entries, chance: v.nullable(metric) })),
  /** F_W. */
  faithfulWrong: v.nullable(ratioSchema),
  /** Factual questions (order 0); null without any. */
  factual: v.nullable(pairedSchema),
  /** Accuracy on the questions of belief sampled at the run's temperature; null at a look in between. */
  sampled: v.nullable(pairedSchema),
});

const verdictSchema = v.pipe(verdictEntries, v.transform(renamed)) satisfies v.GenericSchema<unknown, Look>;

export type Verdict = v.InferOutput<typeof verdictSchema>;

export const evaluationSchema = v.object({ report: reportSchema, verdict: v.optional(verdictSchema) });

export type Evaluation = v.InferOutput<typeof evaluationSchema>;
