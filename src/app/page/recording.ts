/** Fetches the recorded runs of the ladder, which the page shows before a run starts. */
import { fetchInTime } from '../../base/fetch-in-time';
import type { RunConfig } from '../../run/config/config';
import type { StepRecord } from '../../run/record/events';
import type { StartReward } from '../../run/recording/paid-step';
import { realRun, type RealRun } from '../../run/recording/real-run';
import { mainMetrics, rungs, type Recording } from '../../run/recording/recording-file';
import { sameConfig } from '../../run/config/fields';
import { createRunView, type RunView } from '../session/run-view';

/** A recording of the build; null if the build has none, or one of another version. */
function fetchFile<File extends { version: number }>(preset: string, base: string, version: number) {
  return fetchInTime(new URL(`recordings/${preset}.json`, base), async (response) => {
    if (!response.ok) return null;
    const file = (await response.json()) as Partial<File>;
    return file.version === version ? (file as File) : null;
  }).catch(() => null);
}

export async function fetchRecordings(base: string): Promise<Recording[]> {
  const fetched = await Promise.all(rungs.map(({ preset }) => fetchFile<Recording>(preset, base, 3)));
  return fetched.filter((recording) => recording !== null);
}

/** Fetches the recording of a real model for the first screen. */
export const fetchRealRun = (base: string): Promise<RealRun | null> =>
  fetchFile<RealRun>(realRun.preset, base, 1);

/** Digits that a recording keeps of each number (`scripts/record/record.ts`). */
const digits = 4;

/** The first step at which the reward or the thinking has another value than recorded; null where there is none. */
export function firstDifference(
  records: readonly StepRecord[],
  recorded: readonly StepRecord[],
): number | null {
  const differs = (record: StepRecord, index: number): boolean =>
    index < recorded.length &&
    [mainMetrics.reward, mainMetrics.thinking].some(
      (name) => Number(record[name].toPrecision(digits)) !== recorded[index][name],
    );
  return records.find(differs)?.step ?? null;
}

/** The recording of a preset, whatever has been changed of it since; none where there is one of other presets only. */
export function recordingOf(
  recordings: readonly Recording[] | null,
  { preset }: Pick<RunConfig, 'preset'>,
): Recording | null {
  return recordings?.find(({ config }) => config.preset === preset) ?? null;
}

/** The recording that shows how such a run goes: of the same settings, the seed aside. */
export function recordingLike(recordings: readonly Recording[] | null, config: RunConfig): Recording | null {
  return recordings?.find((one) => sameConfig(one.config, { ...config, seed: one.config.seed })) ?? null;
}

/** What a run started from, where a recording had the same model, questions and reward. */
export function startOf(
  recordings: readonly Recording[] | null,
  { model, data, reward }: RunConfig,
): StartReward | null {
  return (
    recordings?.find(({ config }) => sameConfig(config, { ...config, model, data, reward }))?.start ?? null
  );
}

/** A whole recording as the page shows any run. */
export function viewOfRecording(recording: Recording): RunView {
  const { config, records: steps, evals, rollouts } = recording;
  const rolloutSteps = [...new Set(rollouts.map(({ step }) => step))];
  return createRunView('recording', config, { steps, evals, alerts: [], rolloutSteps });
}
