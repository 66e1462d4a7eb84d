/**
 * The parts of a run that a recording keeps: a projection of its history (`src/run/record/history.ts`) and of some
 * rollouts.
 */
import { recordedMetrics } from '../../src/run/recording/recording-file';
import { answeredTwice, byClarity } from '../../src/run/recording/answered-twice';
import type { Recording } from '../../src/run/recording/recording-file';
import { batchOf } from '../../src/run/recording/step-batch';
import type { History } from '../../src/run/record/history';
import type { Rollout } from '../../src/run/record/rollout-record';
import { isHardRollout } from '../../src/run/verdict/hard-rollout';

/**
 * Rollouts are most of a recording. The first step and every tenth keep all samples of the first prompt and of the
 * first hard prompt. Other rollouts keep only reward and advantage, for the picture of the update.
 */
export const keepsRolloutsOf = (step: number): boolean => step === 1 || step % 10 === 0;

/** The samples of the first prompt and of the first hard one, as texts. */
function telling(rollouts: readonly Rollout[]): Rollout[] {
  const hard = rollouts.find((rollout) => rollout.group > 0 && isHardRollout(rollout));
  return rollouts.filter(({ group }) => group === 0 || group === hard?.group);
}

/** Number of evaluation questions whose answers are kept as text. */
const questionsKept = 8;

/**
 * Selects, from the visible questions, those whose answers differ most clearly between the first and the last
 * evaluation.
 */
function tellingQuestions(evals: History['evals']): ReadonlySet<string> {
  const [first] = evals;
  const last = evals[evals.length - 1];
  const clearest = byClarity(answeredTwice(first, last)).slice(0, questionsKept);
  return new Set(clearest.map(({ before }) => before.itemId));
}

/** Projects a run to a recording. @param rollouts all rollouts of each kept step */
export function recorded(
  { steps, evals }: History,
  rollouts: readonly (readonly Rollout[])[],
): Pick<Recording, 'records' | 'evals' | 'rollouts' | 'batches'> {
  const selected = tellingQuestions(evals);
  return {
    records: steps.map((record) => ({
      step: record.step,
      ...Object.fromEntries(
        recordedMetrics.filter((metric) => metric in record).map((metric) => [metric, record[metric]]),
      ),
    })),
    // Leaves out the outcomes of single items, because the verdict is already computed.
    evals: evals.map((evaluation) => {
      const { report } = evaluation;
      const sampled = report.sampled && { ...report.sampled, correct: '' };
      const samples = report.samples.filter(({ itemId }) => selected.has(itemId));
      return { ...evaluation, report: { ...report, outcomes: undefined, sampled, samples } };
    }),
    rollouts: rollouts.flatMap(telling),
    // Keeps all samples in order; the page counts them itself.
    batches: rollouts.map((step) => ({ ...batchOf(step), samples: undefined })),
  };
}
