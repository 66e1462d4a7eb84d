/** Runs the queue of a sweep (`sweep.ts`), one run after another, and goes on where it was interrupted. */
import type { Policy } from '../model/policy';
import type { Checkpoint, TrainerEvent } from '../run/events';
import { addToReport, newReport, type RunReport } from '../run/report';
import type { SweepRun } from '../run/sweep';
import { train, type TrainOptions } from './trainer';

/** What a sweep needs of its surroundings for one run; the policy is disposed of afterwards. */
export interface OpenedRun {
  policy: Policy;
  options?: TrainOptions;
}

export type SweepEvent =
  | { type: 'run'; index: number; event: TrainerEvent }
  | { type: 'finished'; index: number; report: RunReport };

/**
 * Runs a queue in order.
 *
 * @param open loads the policy of a run, and its last checkpoint where it was interrupted
 * @param finished indices of runs that are already done
 */
export async function* runSweep(
  runs: readonly SweepRun[],
  open: (run: SweepRun, index: number) => Promise<OpenedRun>,
  finished: ReadonlySet<number> = new Set(),
): AsyncGenerator<SweepEvent, void, void> {
  for (const [index, run] of runs.entries()) {
    if (finished.has(index)) continue;
    const { policy, options } = await open(run, index);
    let report = newReport(run.config);
    try {
      for await (const event of train(policy, run.config, options)) {
        report = addToReport(report, event);
        yield { type: 'run', index, event };
      }
    } finally {
      policy.dispose();
    }
    if (options?.signal?.aborted === true) return;
    yield { type: 'finished', index, report };
  }
}

/** The last checkpoint that a sweep's events hold of a run, for `open` to resume from. */
export function latestCheckpoint(events: readonly SweepEvent[], index: number): Checkpoint | undefined {
  const saved = events.flatMap((entry) =>
    entry.type === 'run' && entry.index === index && entry.event.type === 'checkpoint'
      ? [entry.event.checkpoint]
      : [],
  );
  return saved.at(-1);
}
