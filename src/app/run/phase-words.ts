/** Words for the phase of a run, shown long enough to be read. */
import type { TrainerPhase } from '../../run/record/events';

/** Shared with the scoring, which is over at once. */
const asking = 'asking questions';

const words: Record<TrainerPhase, string> = {
  compile: 'compiling kernels',
  rollout: asking,
  reward: asking,
  reference: 'comparing with the start',
  update: 'learning',
  evaluate: 'asking test questions',
};

/** Steps shorter than this many seconds show one word for all phases. */
const readableStep = 3;

/**
 * `asking questions, 44 %: 12 of 32 answers`
 *
 * @param secondsPerStep - null before it is known
 * @param progress - fraction of the phase, and its count of compiled kernels or finished answers
 */
export function phaseWords(
  phase: TrainerPhase,
  secondsPerStep: number | null,
  { fraction, count }: { fraction: number; count?: { done: number; total: number } },
): string {
  if (phase === 'compile' && count)
    return `compiling kernel ${Math.min(count.done + 1, count.total)} of ${count.total}`;
  const isPartOfStep = phase !== 'compile' && phase !== 'evaluate';
  if (isPartOfStep && secondsPerStep !== null && secondsPerStep < readableStep) return 'training';
  const answers = count === undefined ? '' : `: ${count.done} of ${count.total} answers`;
  return `${words[phase]}, ${Math.floor(100 * fraction)} %${answers}`;
}
