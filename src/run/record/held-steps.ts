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
 * Thins the records of a history and the steps with rollouts, in place and after each addition. A page holds all of
 * `MOST_HELD` records. Of more it holds every second, fourth or eighth step and so on, the first and the last ones, and
 * those with alerts.
 *
 * @param rolloutSteps - ascending
 */
export function createHeldSteps({ steps: records, alerts }: GrowingHistory, rolloutSteps: number[]) {
  let stride = 1;

  function isHeld(step: number, hasAlert: (step: number) => boolean): boolean {
    const last = records.at(-1)?.step ?? 0;
    return step <= FIRST_STEPS || step > last - LAST_STEPS || step % stride === 0 || hasAlert(step);
  }

  /** False if the storage has samples of few steps. */
  const isDense = (): boolean => rolloutSteps.length > MOST_HELD / 2;

  function thin(): void {
    const { step: last } = records.at(-1) ?? { step: 0 };
    const alertSteps = new Set(alerts.map(({ step }) => step));
    const isOfAlert = (step: number): boolean => alertSteps.has(step);
    while (records.length > MOST_HELD && stride < last) {
      stride *= 2;
      keep(records, ({ step }) => isHeld(step, isOfAlert));
      if (isDense()) keep(rolloutSteps, (step) => isHeld(step, isOfAlert));
    }
  }

  /** Removes the entry that has just left the last steps, unless it is held. */
  function dropLeaving<T>(list: T[], stepOf: (entry: T) => number): void {
    const place = list.length - 1 - LAST_STEPS;
    const isOfAlert = (step: number): boolean => alerts.some((alert) => alert.step === step);
    if (place >= 0 && !isHeld(stepOf(list[place]), isOfAlert)) list.splice(place, 1);
  }

  thin();
  return {
    /** Adds a record. A resumed run repeats steps, and their records replace the earlier ones. */
    put(record: StepRecord): void {
      putAtStep(records, record, ({ step }) => step);
      dropLeaving(records, ({ step }) => step);
      thin();
    },
    putRollouts(step: number): void {
      putAtStep(rolloutSteps, step, (one) => one);
      if (isDense()) dropLeaving(rolloutSteps, (one) => one);
    },
  };
}
