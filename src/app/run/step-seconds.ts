/** What a step took: its own time and that of keeping it; evaluations are left out. */
import type { StepRecord } from '../../run/events';

/** @returns undefined where the record does not say, as of runs from elsewhere */
export function stepSeconds({
  step_time: seconds,
  'time/store': keeping = 0,
}: StepRecord): number | undefined {
  return seconds === undefined ? undefined : seconds + keeping;
}
