/** How long runs side by side still take, from their recordings and the pace of this computer. */

/** A live run beside its recording, in seconds. */
export interface Timed {
  /** `Recording.elapsed` */
  elapsed: readonly number[];
  /** When each of its steps came in. */
  stepTimes: readonly number[];
  /** How long it has trained; of one that is over, how long it took. */
  now: number;
  isOver: boolean;
}

/** The pace is of so many steps at most: one evaluation at least is among them, and what else the computer does changes. */
const window = 12;

/** How fast one of so many runs goes beside the others. */
type Speed = (runs: number) => number;

/** The page takes a core for each run, or two thirds of one for all: nobody knows before one of them has ended. */
const speedsOn = (cores: number): [Speed, Speed] => [
  (runs) => Math.min(1, cores / (2 * runs)),
  (runs) => Math.min(1, cores / (runs + 2 / 3)),
];

/**
 * Seconds until the last of some runs ends that are side by side: as each ends, those left have more of the computer.
 *
 * @param lefts - seconds of each, if it had the computer for itself
 */
export function secondsToLastEnd(lefts: readonly number[], speed: Speed): number {
  const sorted = [...lefts].sort((one, other) => one - other);
  return sorted.reduce((sum, left, i) => sum + (left - (sorted[i - 1] ?? 0)) / speed(sorted.length - i), 0);
}

/** What a run had of the computer between two moments, in seconds of having it for itself. */
function shareOf(runs: readonly Timed[], from: number, to: number, speed: Speed): number {
  const ends = runs.flatMap(({ isOver, now }) => (isOver ? [now] : []));
  const moments = [from, ...ends.filter((end) => end > from && end < to).sort((a, b) => a - b), to];
  return moments.slice(1).reduce((sum, moment, i) => {
    const beside = runs.length - ends.filter((end) => end <= moments[i]).length;
    return sum + (moment - moments[i]) * speed(beside);
  }, 0);
}

/**
 * Seconds to the end of runs side by side, at least and at most, their evaluations among them: what each recording took
 * from there on, at the pace of those that still train, over their latter halves: the first steps open a worker and
 * compile, and count for nothing. Null before the fifth step of each: one at its first step says nothing of the others.
 */
export function secondsLeft(runs: readonly Timed[], cores: number): [least: number, most: number] | null {
  const live = runs.filter(({ isOver }) => !isOver);
  if (live.length === 0 || live.some(({ stepTimes }) => stepTimes.length < 5)) return null;
  const [least, most] = speedsOn(cores).map((speed) => leftAt(speed, runs, live));
  return [least, most];
}

function leftAt(speed: Speed, runs: readonly Timed[], live: readonly Timed[]): number {
  const share = (from: number, to: number): number => shareOf(runs, from, to, speed);
  let took = 0;
  let recorded = 0;
  for (const { elapsed, stepTimes } of live) {
    const last = stepTimes.length - 1;
    const from = Math.max(Math.floor(last / 2) - 2, last - window);
    took += share(stepTimes[from], stepTimes[last]);
    recorded += elapsed[last] - elapsed[from];
  }
  const lefts = live.map(({ elapsed, stepTimes, now }) => {
    const left = ((elapsed[elapsed.length - 1] - elapsed[stepTimes.length - 1]) * took) / recorded;
    return Math.max(1, left - share(stepTimes[stepTimes.length - 1], now));
  });
  return secondsToLastEnd(lefts, speed);
}
