/** How long runs side by side still take, from their recordings and the pace of this computer. */

/** A live run beside its recording, in seconds. */
export interface Timed {
  /** `Recording.elapsed` */
  elapsed: readonly number[];
  /** When each of its steps came in. */
  ended: readonly number[];
  now: number;
}

/** The pace is of so many steps at most: one evaluation at least is among them, and runs beside it end. */
const window = 12;

/**
 * How long a run takes for a second of its recording, over its latter half: the first steps open a worker and compile, and
 * count for nothing. Null before the fifth step.
 */
function paceOf({ elapsed, ended }: Timed): number | null {
  const step = ended.length;
  if (step < 5 || step >= elapsed.length) return null;
  const from = Math.max(Math.floor(step / 2), step - window) - 1;
  return (ended[step - 1] - ended[from]) / (elapsed[step - 1] - elapsed[from]);
}

/** How fast one of some runs goes beside the others: each takes a core, and the page one more. */
const speedOf = (runs: number, cores: number): number => Math.min(1, cores / (runs + 1));

/**
 * Seconds until the last of some runs ends that are side by side: as each ends, those left have more of the computer.
 *
 * @param lefts - seconds of each, at the speed that `beside` of them have
 */
export function lastEnd(lefts: readonly number[], cores: number, beside: number): number {
  const sorted = [...lefts].sort((one, other) => one - other);
  return sorted.reduce((sum, left, i) => {
    const speed = speedOf(sorted.length - i, cores) / speedOf(beside, cores);
    return sum + (left - (sorted[i - 1] ?? 0)) / speed;
  }, 0);
}

/**
 * Seconds to the end of runs side by side, their evaluations among them: what each recording took from there on, at the
 * run's pace, or at that of the others before it has one. Null before any has.
 */
export function secondsLeft(runs: readonly Timed[], cores: number): number | null {
  const paces = runs.flatMap((run) => paceOf(run) ?? []);
  if (paces.length === 0) return null;
  const usual = Math.max(...paces);
  const lefts = runs.map((run) => {
    const { elapsed, ended, now } = run;
    const taken = ended.length === 0 ? 0 : elapsed[ended.length - 1];
    const left = (elapsed[elapsed.length - 1] - taken) * (paceOf(run) ?? usual);
    return Math.max(1, left - (now - (ended.at(-1) ?? 0)));
  });
  return lastEnd(lefts, cores, lefts.length);
}
