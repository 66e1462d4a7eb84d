/**
 * Steps of a long run as a page holds them, with a memory that is independent of the run's length. The storage keeps all
 * steps.
 */
import type { StepRecord } from './events';
import { putAtStep, type GrowingHistory } from './history';

/** Most records that a page holds, those of alerts aside. A chart is narrower. */
export const MOST_HELD = 4096;
/** First steps, which a page always holds. */
export const FIRST_STEPS = 32;
/** Last steps, which a page holds without gaps, for example to estimate the time that is left. */
export const LAST_STEPS = 32;

/** Keeps the entries of a list that are held, in place. */
function keep<T>(list: T[], isHeld: (entry: T) => boolean): void {
  let count = 0;
  for (const entry of list) if (isHeld(entry)) list[count++] = entry;
  list.length = count;
}

/**
 * Thins the records of a history and the steps with rollouts, in place. A page holds all of `MOST_HELD` records. When there
 * are more it keeps every second, fourth or eighth step and so on, the first and the last ones, and those with alerts.
 *
 * @param rolloutSteps - ascending
 */
export function createHeldSteps({ steps: records, alerts }: GrowingHistory, rolloutSteps: number[]) {
  let stride = 1;

  function thin(): void {
    if (records.length <= MOST_HELD) return;
    const { step: last } = records[records.length - 1];
    const alertSteps = new Set(alerts.map(({ step }) => step));
    const isHeld = (step: number): boolean =>
      step <= FIRST_STEPS || step > last - LAST_STEPS || step % stride === 0 || alertSteps.has(step);
    // The storage may have samples of few steps, which all stay.
    const isDense = rolloutSteps.length > MOST_HELD / 2;
    keep(records, ({ step }) => isHeld(step));
    while (records.length > MOST_HELD && stride < last) {
      stride *= 2;
      keep(records, ({ step }) => isHeld(step));
    }
    if (isDense) keep(rolloutSteps, isHeld);
  }

  thin();
  return {
    /** Adds a record. A resumed run repeats steps, and their records replace the earlier ones. */
    put(record: StepRecord): void {
      putAtStep(records, record, ({ step }) => step);
      thin();
    },
    putRollouts(step: number): void {
      putAtStep(rolloutSteps, step, (one) => one);
    },
  };
}
