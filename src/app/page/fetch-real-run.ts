/** Fetches the recording of a real model for the first screen. */
import { fetchInTime } from '../../base/fetch-in-time';
import { realRun, type RealRun } from '../../run/recording/real-run';

/** Returns null where the build has no such file. */
export async function fetchRealRun(base: string): Promise<RealRun | null> {
  try {
    return await fetchInTime(new URL(`recordings/${realRun.preset}.json`, base), async (response) => {
      if (!response.ok) return null;
      const run = (await response.json()) as Partial<RealRun>;
      return run.version === 1 ? (run as RealRun) : null;
    });
  } catch {
    return null;
  }
}
