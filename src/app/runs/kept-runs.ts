/** What the page concludes from the records of kept runs. */
import type { RunConfig } from '../../run/config/config';
import { sameConfig } from '../../run/config/fields';
import { runWords } from '../words/run-words';
import type { RunRecord } from '../../run/record/run-record';
import type { ListedRun } from '../../../workers/protocol';
import { stepsTaken, type RunView } from '../session/run-view';

const isCutOff = ({ status }: RunRecord): boolean => status === 'running' || status === 'paused';

/**
 * Whether a run can go on here: it has steps left, did not end before them of itself, and trains nowhere. One that was cut
 * off before its first checkpoint goes on from its beginning.
 */
export function canGoOn(run: ListedRun): boolean {
  if (run.status === 'done' || run.trainsElsewhere === true) return false;
  if (run.checkpointStep === null) return isCutOff(run) && otherProgram(run) === null;
  return run.checkpointStep < run.config.steps;
}

export function lastCheckpointStep({ checkpointStep }: RunRecord): number {
  return checkpointStep ?? 0;
}

/** How many kept steps a run makes again when it goes on: those after its last checkpoint. */
export function stepsMadeAgain(run: ListedRun): number {
  return canGoOn(run) ? run.step - lastCheckpointStep(run) : 0;
}

/** Whether early stopping ended the run: it is done, and has steps left. */
export function hasEndedEarly(run: RunRecord): boolean {
  return run.status === 'done' && run.step < run.config.steps;
}

/** @param kept - its record; undefined where the list has none */
export function isAtEnd(view: RunView, kept: RunRecord | undefined): boolean {
  return stepsTaken(view) >= view.config.steps || (kept !== undefined && hasEndedEarly(kept));
}

/** The program that trained a run which was opened from its files; null for a run of Marble's own. */
export function otherProgram({ machine }: Pick<RunRecord, 'machine'>): string | null {
  return typeof machine.program === 'string' ? machine.program : null;
}

/** Where a run of another program stands, in words; null for a run of Marble's own. */
export function standingElsewhere(run: Pick<RunRecord, 'machine' | 'step' | 'config'>): string | null {
  const program = otherProgram(run);
  if (program === null) return null;
  if (run.machine.steps === 'unknown') return `trained by ${program}; its files do not say in how many steps`;
  return `trained by ${program}, step ${run.step} of ${run.config.steps}`;
}

/**
 * As a legend names it.
 *
 * @param nameOf - of its settings
 */
export function overlaidName(
  run: RunRecord,
  nameOf: (config: RunConfig) => string = (config) => runWords(config),
): string {
  const program = otherProgram(run);
  return program === null ? run.notes || nameOf(run.config) : `${program}: ${nameOf(run.config)}`;
}

/** The run to offer after a reload: the latest that was cut off, not one that its owner stopped. */
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

/**
 * The same settings under a seed that has not been run: the same seed again would give the same run.
 *
 * @param known the configurations of the kept runs
 */
export function withAnotherSeed(config: RunConfig, known: readonly RunConfig[]): RunConfig {
  let next = { ...config, seed: config.seed + 1 };
  while (known.some((run) => sameConfig(run, next))) next = { ...next, seed: next.seed + 1 };
  return next;
}
