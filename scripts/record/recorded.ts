/** What a recording keeps of a run: a projection of its history (`src/run/record/history.ts`) and of some of its rollouts. */
import { recordedMetrics } from '../../src/app/charts/lines/charted-metrics';
import { answeredTwice, byClarity } from '../../src/app/story/clearest-change';
import type { Recording } from '../../src/app/page/recording';
import { batchOf } from '../../src/app/update/step-batch';
import type { History } from '../../src/run/record/history';
import type { Rollout } from '../../src/run/record/rollout-record';
import { isShortcutWrong } from '../../src/run/record/rollout-shortcut';

/**
 * Of the rollouts, the bulk of a recording, these stay: of the first and of every tenth step all samples of the first prompt
 * and of the first whose shortcut is wrong, and of the first prompt what the update did to each token. Of the others the reward and the advantage stay, for the picture of the update.
 */
export const keepsRolloutsOf = (step: number): boolean => step === 1 || step % 10 === 0;

/** The first prompt's samples, token by token, and those of the first one whose shortcut is wrong, as texts. */
function telling(rollouts: readonly Rollout[]): Rollout[] {
  const wrong = rollouts.find((rollout) => rollout.group > 0 && isShortcutWrong(rollout));
  return rollouts.flatMap((rollout) =>
    rollout.group === 0
      ? rollout
      : rollout.group === wrong?.group
        ? { ...rollout, byToken: undefined } // as large again as all the rest
        : [],
  );
}

/** Questions of the evaluations whose answers stay as texts. */
const questionsKept = 8;

/** Of the questions that are shown those whose answers tell most between the first evaluation and the last. */
function tellingQuestions(evals: History['evals']): ReadonlySet<string> {
  const [first] = evals;
  const last = evals[evals.length - 1];
  const kept = byClarity(answeredTwice(first, last)).slice(0, questionsKept);
  return new Set(kept.map(({ before }) => before.itemId));
}

/** @param rollouts of each kept step, whole */
export function recorded(
  { steps, evals }: History,
  rollouts: readonly (readonly Rollout[])[],
): Pick<Recording, 'records' | 'evals' | 'rollouts' | 'batches'> {
  const told = tellingQuestions(evals);
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
      const samples = report.samples.filter(({ itemId }) => told.has(itemId));
      return { ...evaluation, report: { ...report, outcomes: undefined, sampled, samples } };
    }),
    rollouts: rollouts.flatMap(telling),
    // All samples are there, in their order: the page counts them itself.
    batches: rollouts.map((step) => ({ ...batchOf(step, false), samples: undefined })),
  };
}
