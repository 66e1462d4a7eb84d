/**
 * Schemas of an evaluation's report and verdict, with their inferred types.
 *
 * A question is easy if the data set's shortcut answers it correctly, and hard if it does not. Stored records name this as
 * follows; everywhere else the names are easy and hard.
 *
 *   shortcutRight, right, shortcut_right                               easy
 *   shortcutWrong, wrong, shortcutConflict, shortcut_wrong, …_conflict hard
 *   faithfulWrong, faithful_wrong                                      faithful traces on hard questions
 */
import * as v from 'valibot';
import type { SuiteRow } from '../../reward/suites';
import { endings, oldEnding, renamed, type Look } from '../verdict/ending';
import { accuracy, byName, count, flag, listOf, metric, name, place, step, text } from './record-fields';
import { rolloutSchema } from './rollout-record';

const itemsAtMost = 20_000;
/** Text with one character per item. */
function perItem(character: string) {
  const kind = `text of at most ${itemsAtMost} characters, each of ${character}`;
  return v.pipe(
    v.string(kind),
    v.maxLength(itemsAtMost, kind),
    v.regex(new RegExp(`^[${character}]*$`), kind),
  );
}

/** One character per item and column (`outcomes.ts`). An item has the same index in every column. */
const outcomesSchema = v.pipe(
  v.object({
    /** Belief order, in base 36. */
    order: perItem('0-9a-z'),
    /** `1` for a right answer, else `0`. */
    correct: perItem('01'),
    /** `1` or `0`; `-` without a known shortcut. */
    shortcutRight: perItem('01-'),
    /** Number of possible answers, in base 36; `-` if unknown. */
    answers: perItem('0-9a-z-'),
    /** `f`aithful, `p`artial, `x` false, `e`mpty, `c`ut; `-` without a simulated world. */
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

/** Accuracy on the fixed set with one sampled answer per item, at the run's temperature. */
const sampledSchema = v.object({
  temperature: metric,
  /** Orders 1 and above, and order 0. */
  belief: accuracy,
  factual: accuracy,
  /** One character per item of the fixed set, as in `OutcomeTable`. */
  correct: perItem('01'),
});

export type SampledReport = v.InferOutput<typeof sampledSchema>;

const suiteRow: v.GenericSchema<SuiteRow> = v.object({
  task: name,
  part: name,
  inDistribution: flag,
  accuracy,
  shortcutLine: v.nullable(metric),
  shortcutConflict: v.nullable(accuracy),
});

export const reportSchema = v.object({
  step,
  /** Accuracy on the fixed greedy set, which contains the training orders only. Held-out sets are separate. */
  overall: accuracy,
  /** Accuracy on the fixed set's belief questions (orders 1 and above) and factual questions (order 0). */
  belief: accuracy,
  factual: accuracy,
  /** Outcome of each item of the fixed set, for paired verdicts. Recordings omit it. */
  outcomes: v.optional(outcomesSchema),
  /** Outcomes of the additional hard questions, which are drawn if the fixed set has few. */
  hard: v.optional(outcomesSchema),
  /** Present at step 0, at the end of a warm start and at the last step. */
  sampled: v.optional(sampledSchema),
  /** Accuracy by belief order, the held-out order included. */
  byOrder: byName(accuracy),
  /** Accuracy on sets that training never uses, by name: `order 4`, `re-entry`, `longer stories`, `other world`. */
  heldOut: byName(accuracy),
  /** Accuracy on easy and on hard items. The latter include the additional hard questions. */
  shortcutRight: accuracy,
  shortcutWrong: accuracy,
  /** Accuracy of the shortcut alone on the fixed set. Result codes omit it without a shortcut there. */
  shortcutLine: v.optional(metric),
  /** Mean total of the custom reward on the fixed set. Absent without a custom reward. */
  customReward: v.optional(metric),
  formatRate: metric,
  meanLength: metric,
  meanThinkLength: metric,
  emptyThinkFraction: metric,
  /** Null if no trace makes a statement; older records have 0. */
  traceValidity: v.nullable(metric),
  traceCoverage: metric,
  /** F and F_W: fractions of faithful traces on belief questions, and on the hard ones. */
  faithful: metric,
  faithfulWrong: metric,
  /** Fraction of right answers with a false statement in the trace. */
  rightAnswerWrongTrace: metric,
  /** Greedy completions of a few fixed items, to compare across evaluations. */
  samples: listOf(rolloutSchema, 1000),
  /** Results by task and part: the fixed set and the tasks of the configuration. */
  rows: listOf(suiteRow, 10_000),
});

export type EvalReport = v.InferOutput<typeof reportSchema>;

/** Estimate with one-sided 95 % bounds. */
const estimateSchema = v.object({ value: metric, low: metric, high: metric });

export type Estimate = v.InferOutput<typeof estimateSchema>;

/** Mean before and now, with the paired change. */
const paired = { count, before: metric, now: metric, change: estimateSchema };
const pairedSchema = v.object(paired);

export type PairedMean = v.InferOutput<typeof pairedSchema>;

/** Mean on hard items, with its bounds at the start and the ratio now / start. */
const ratioSchema = v.object({ ...paired, start: estimateSchema, ratio: estimateSchema });

export type Ratio = v.InferOutput<typeof ratioSchema>;

/** Conditions of the verdict. A condition that cannot be judged is false. */
const conditionsSchema = v.object({
  /** The two parts of C0. `aboveChance` is null if chance is unknown; the faithful traces alone then decide. */
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

/** `verdict.ts` documents the formulas. */
const verdictEntries = v.object({
  step,
  /** Baseline step at the end of a warm start. Absent if the baseline is step 0. */
  against: v.optional(step),
  /** True for an intermediate evaluation, which counts only together with the previous one. */
  provisional: flag,
  ending: v.picklist([...endings, oldEnding]),
  /** Reasons for an ending that needs an explanation, one sentence each; otherwise empty. */
  missing: listOf(text, 10),
  conditions: conditionsSchema,
  /** Think tokens on belief questions: means and their ratio. */
  length: v.object({ before: metric, now: metric, ratio: estimateSchema }),
  /** Greedy accuracy on belief questions. */
  belief: pairedSchema,
  /** F; null if the items have no simulated world. */
  faithful: v.nullable(pairedSchema),
  /** W, with the accuracy of a guess (null if unknown). */
  wrong: v.nullable(v.object({ ...ratioSchema.entries, chance: v.nullable(metric) })),
  /** F_W. */
  faithfulWrong: v.nullable(ratioSchema),
  /** Accuracy on belief questions, sampled at the run's temperature; null at an intermediate evaluation. */
  sampled: v.nullable(pairedSchema),
});

const verdictSchema = v.pipe(verdictEntries, v.transform(renamed)) satisfies v.GenericSchema<unknown, Look>;

export type Verdict = v.InferOutput<typeof verdictSchema>;

export const evaluationSchema = v.object({ report: reportSchema, verdict: v.optional(verdictSchema) });

export type Evaluation = v.InferOutput<typeof evaluationSchema>;
