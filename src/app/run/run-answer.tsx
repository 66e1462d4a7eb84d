/** Under the page's heading while a run is on show: whether it repeats the recording. */
import type { Recording } from '../start/recording';
import type { RunView } from '../session/run-view';
import type { RunConfig } from '../../run/config/config';
import type { StepRecord } from '../../run/record/events';
import { mainMetrics } from '../charts/lines/charted-metrics';
import { sameConfig } from '../settings/draft';

/** @param view null while the run is being prepared */
export function RunAnswer({ view, recording }: { view: RunView | null; recording: Recording | null }) {
  if (view === null) return <p class="run-answer">Your run is being prepared.</p>;
  return (
    <p class="run-answer">
      {recording === null || view.origin === 'recording' ? '' : repeatWords(view, recording)}
    </p>
  );
}

/** Digits that a recording keeps (`scripts/record/record.ts`). */
const digits = 4;

const curves = [mainMetrics.reward, mainMetrics.thinking];

/**
 * What is said of a run with the settings and the seed of a recording: it must come out the same.
 *
 * @returns empty for a run with other settings
 */
function repeatWords({ config, records }: RunView, recording: Recording): string {
  if (!sameConfig(config, recording.config)) return '';
  const differs = firstDifference(records.value, recording.records);
  const seed = 'Same settings and seed as the recording';
  if (differs !== null)
    return `${seed}, but from step ${differs} on it differs: this computer rounds sums otherwise.`;
  return `${seed}: this run repeats it, digit for digit, as it must.`;
}

/** The first step at which a curve has another value, in the digits that are recorded; null where there is none. */
export function firstDifference(
  records: readonly StepRecord[],
  recorded: readonly StepRecord[],
): number | null {
  const differs = (record: StepRecord, index: number): boolean =>
    index < recorded.length &&
    curves.some((name) => Number(record[name].toPrecision(digits)) !== recorded[index][name]);
  return records.find(differs)?.step ?? null;
}

/** The recording of exactly these settings. */
export function repeatedBy(recordings: readonly Recording[] | null, config: RunConfig): Recording | null {
  return recordings?.find((recording) => sameConfig(recording.config, config)) ?? null;
}
