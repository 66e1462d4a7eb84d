/** Fetches the recorded runs of the ladder, which the page shows before a run starts. */
import { fetchInTime } from '../../base/fetch-in-time';
import { realRun, rungs, type RealRun, type Recording } from '../../run/recording/recording-file';
import { createRunView, type RunView } from '../session/run-view';

/** Fetches a recording of the build; null if it is missing or has another version. */
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

export const fetchRealRun = (base: string): Promise<RealRun | null> =>
  fetchFile<RealRun>(realRun.preset, base, 1);

/** Recording of the preset, even if other settings differ; null if the preset has none. */
export function recordingOf(recordings: readonly Recording[] | null, preset: string): Recording | null {
  return recordings?.find(({ config }) => config.preset === preset) ?? null;
}

export function viewOfRecording(recording: Recording): RunView {
  const { config, records: steps, evals, rollouts, batches, paid } = recording;
  const rolloutSteps = [...new Set(rollouts.map(({ step }) => step))];
  const rolloutsAt = (step: number) => Promise.resolve(rollouts.filter((rollout) => rollout.step === step));
  const history = { steps, evals, alerts: [], rolloutSteps };
  return createRunView('recording', config, history, { rolloutsAt, batches, paid });
}
