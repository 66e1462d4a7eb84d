/** Facts that the page derives from the records of kept runs. */
import type { RunConfig } from '../../run/config/config';
import { sameConfig } from '../../run/config/fields';
import type { Page } from '../page/page';
import type { RunRecord } from '../../run/record/run-record';
import type { ListedRun } from '../../../workers/protocol';

const isCutOff = ({ status }: RunRecord): boolean => status === 'running' || status === 'paused';

/**
 * True if the run can be resumed here: it has steps or its last evaluation left, and trains in no other tab. A run that was cut
 * off before its first checkpoint restarts from its beginning.
 */
export function canGoOn(run: ListedRun): boolean {
  if (run.status === 'done' || run.trainsElsewhere === true) return false;
  if (run.checkpointStep === null) return isCutOff(run);
  return run.checkpointStep <= run.config.steps;
}

/** Run to offer after a reload: the latest that was cut off, excluding runs that the visitor stopped. */
export function cutOffRun(runs: readonly ListedRun[]): ListedRun | null {
  const cut = runs.filter((run) => canGoOn(run) && isCutOff(run));
  return cut.sort((a, b) => b.updatedAt - a.updatedAt)[0] ?? null;
}

export const statusWords: Record<RunRecord['status'], string> = {
  running: 'interrupted',
  paused: 'paused',
  stopped: 'stopped',
  done: 'finished',
  failed: 'failed',
};

/** Status of a run in words. A run that trains is stored as one that was cut off. */
export function standingWords(
  run: Pick<ListedRun, 'id' | 'status' | 'trainsElsewhere'>,
  session: Pick<Page['session'], 'trainsHere'>,
): string {
  if (run.trainsElsewhere === true) return 'training in another tab';
  return session.trainsHere(run.id) ? 'training now' : statusWords[run.status];
}

/** The same settings with a seed that no kept run has used, since the same seed would repeat the run. */
export function withAnotherSeed(config: RunConfig, known: readonly RunConfig[]): RunConfig {
  const next = { ...config, seed: config.seed + 1 };
  return known.some((run) => sameConfig(run, next)) ? withAnotherSeed(next, known) : next;
}
