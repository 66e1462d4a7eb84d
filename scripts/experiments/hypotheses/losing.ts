/**
 * The fraction of runs that lose their reasoning: collapsed or decorated. Runs whose start fails C0 had none to lose and are
 * left out.
 */
import { drawRuns, intervalOf, resampleRuns, type Interval } from '../bootstrap';
import { byStart, SEED, type JudgedRun } from '../study';

export interface LosingGroup {
  name: string;
  /** All that are made. */
  runs: JudgedRun[];
  /** Without those that fail C0. */
  reasoned: JudgedRun[];
  losing: number;
  /** Of `reasoned`; null without any. */
  fraction: Interval | null;
}

export function losingGroup(name: string, runs: JudgedRun[], draws: number): LosingGroup {
  const reasoned = runs.filter((run) => run.reasoned);
  const losing = reasoned.filter(({ loses }) => loses).length;
  const starts = byStart(reasoned);
  const fraction =
    reasoned.length === 0
      ? null
      : intervalOf(
          losingFraction(reasoned),
          resampleRuns(draws, SEED, (random) => losingFraction(drawRuns(starts, random))),
        );
  return { name, runs, reasoned, losing, fraction };
}

export function losingFraction(runs: readonly JudgedRun[]): number {
  return runs.filter(({ loses }) => loses).length / runs.length;
}
