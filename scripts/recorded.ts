/** What a recording keeps of a run: a projection of its history (`src/run/history.ts`) and of some of its rollouts. */
import { recordedMetrics } from '../src/app/charted-metrics';
import type { Recording } from '../src/app/recording';
import { batchOf } from '../src/app/update/step-batch';
import type { History } from '../src/run/history';
import type { Rollout } from '../src/run/rollout-record';

/**
 * Of the rollouts, the bulk of a recording, these stay: of the first and of every tenth step all samples of the first prompt
 * and of the first whose shortcut is wrong, and of the first prompt what the update did to each token. Of the others the reward and the advantage stay, for the picture of the update.
 */
export const keepsRolloutsOf = (step: number): boolean => step === 1 || step % 10 === 0;

/** The first prompt's samples, token by token, and those of the first one whose shortcut is wrong, as texts. */
function telling(rollouts: readonly Rollout[]): Rollout[] {
  const wrong = rollouts.find(
    ({ group, shortcutAnswer, goldAnswer }) =>
      group > 0 && shortcutAnswer !== null && shortcutAnswer !== goldAnswer,
  );
  return rollouts.flatMap((rollout) =>
    rollout.group === 0
      ? rollout
      : rollout.group === wrong?.group
        ? { ...rollout, byToken: undefined } // as large again as all the rest
        : [],
  );
}

/** @param rollouts of each kept step, whole */
export function recorded(
  { steps, evals }: History,
  rollouts: readonly (readonly Rollout[])[],
): Pick<Recording, 'records' | 'evals' | 'rollouts' | 'batches'> {
  return {
    records: steps.map((record) => ({
      step: record.step,
      ...Object.fromEntries(
        recordedMetrics.filter((metric) => metric in record).map((metric) => [metric, record[metric]]),
      ),
    })),
    // The outcomes of single items, from which the verdict has been drawn, are left out of the file.
    evals: evals.map((evaluation) => {
      const { report } = evaluation;
      const sampled = report.sampled && { ...report.sampled, correct: '' };
      return { ...evaluation, report: { ...report, outcomes: undefined, sampled } };
    }),
    rollouts: rollouts.flatMap(telling),
    // All samples are there, in their order: the page counts them itself.
    batches: rollouts.map((step) => ({ ...batchOf(step, false), samples: undefined })),
  };
}
