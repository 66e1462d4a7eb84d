/**
 * Runs a sweep: the runs of a link with `sweep.…`, each in its own folder and process, several at a time. After a stop
 * or a kill at any moment, the same command resumes every run.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { MarbleError, toErrorReport } from '../../base/error';
import { compareArms } from '../../run/sweep/compare-arms';
import type { SweepRun } from '../../run/sweep/sweep';
import { summarise } from '../../run/record/summary';
import { encodeLink } from '../../share/settings-link';
import { sweepCsv } from '../../share/csv';
import { runInFolder } from '../asked-run';
import { makeFolder, makeFolderInside, writeNamed } from '../files';
import { runFileName } from '../run-log';
import type { RunHistory } from '../../run/record/history';
import type { Terminal } from '../terminal';

export interface SweepRequest {
  runs: readonly SweepRun[];
  /** Address of the page in the link. */
  page: string | null;
  folder: string;
  /** Number of concurrent runs. */
  processes: number;
  /** Options of `train` for all runs. */
  passedOn: readonly string[];
  terminal: Terminal;
  /** Ends the active runs, each with a checkpoint. */
  signal: AbortSignal;
}

/**
 * Trains the runs of a sweep and writes `sweep.csv`.
 *
 * @returns true if all runs are complete
 * @throws MarbleError `command/no-sweep`
 */
export async function sweepInFolder(request: SweepRequest): Promise<boolean> {
  const { runs, folder, terminal, processes, signal } = request;
  if (runs.length < 2) {
    throw new MarbleError(
      'command/no-sweep',
      'The link has no sweep axis with several values.',
      'Add axes to it, as the page does under Sweeps: &sweep.seed=1,2,3&sweep.reward=tom-rl,faithful.',
    );
  }
  makeFolder(folder);
  const folders = runs.map((_, index) => makeFolderInside(folder, String(index + 1).padStart(3, '0')));
  const queue = runs.map((_, index) => index);
  terminal.say(`${runs.length} runs, ${processes} at a time`);
  const work = async (): Promise<void> => {
    for (let index = queue.shift(); index !== undefined && !signal.aborted; index = queue.shift()) {
      const { arm, config } = runs[index];
      const code = await trainInProcess(await encodeLink(config), folders[index], request);
      const name = arm === '' ? `seed ${config.seed}` : `${arm}, seed ${config.seed}`;
      const ended = code === 0 ? 'is done' : code === 130 ? 'was stopped' : 'FAILED';
      terminal.say(`${folders[index]}: ${name} ${ended}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(processes, runs.length) }, work));
  return compare(runs, folders, folder, terminal);
}

function trainInProcess(
  link: string,
  folder: string,
  { page, passedOn, signal }: SweepRequest,
): Promise<number> {
  const program = process.argv[1];
  const child = spawn(
    process.execPath,
    [program, 'train', `${page ?? ''}${link}`, '--out', folder, ...passedOn],
    // Only this process receives Ctrl-C and forwards it. However this process ends, its runs notice the closed channel.
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], detached: true },
  );
  const stop = (): void => void child.kill('SIGINT');
  signal.addEventListener('abort', stop);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, killed) => {
      signal.removeEventListener('abort', stop);
      // A run that has not begun to train has no checkpoint to write: the signal ends it.
      resolve(killed === 'SIGINT' ? 130 : (code ?? 1));
    });
  });
}

/** True if a history belongs to this run: the folder may hold a run of an earlier sweep. */
async function isOf({ record }: RunHistory, { config }: SweepRun): Promise<boolean> {
  return (await encodeLink(record.config)) === (await encodeLink(config));
}

/** Null without a file of this run. */
async function historyIn(path: string, run: SweepRun, terminal: Terminal): Promise<RunHistory | null> {
  try {
    const history = (await runInFolder(path))?.history ?? null;
    if (history === null || (await isOf(history, run))) return history;
    terminal.say(`${join(path, runFileName)} belongs to another run and is left out of the means.`);
  } catch (thrown) {
    terminal.say(`${join(path, runFileName)} is left out of the means: ${toErrorReport(thrown).message}`);
  }
  return null;
}

async function compare(
  runs: readonly SweepRun[],
  folders: readonly string[],
  folder: string,
  terminal: Terminal,
): Promise<boolean> {
  const histories: (RunHistory | null)[] = [];
  for (const [index, path] of folders.entries()) histories.push(await historyIn(path, runs[index], terminal));
  const rows = runs.map(({ arm, config }, index) => {
    const history = histories[index];
    return {
      arm,
      config,
      id: history && history.record.id,
      status: history && history.record.status,
      summary: history && summarise(history),
    };
  });
  await writeNamed(join(folder, 'sweep.csv'), sweepCsv(rows));
  const ended = histories.map((history) => (history?.record.status === 'done' ? history : null));
  for (const { arm, runs: count, accuracy, lengthRatio } of compareArms(runs, ended)) {
    const margin = accuracy?.margin == null ? '' : ` ± ${(100 * accuracy.margin).toFixed(1)}`;
    terminal.say(
      `${arm === '' ? 'as it is' : arm}: ${accuracy === null ? '' : `${(100 * accuracy.mean).toFixed(1)}${margin} % right, `}${lengthRatio === null ? '' : `thinking × ${lengthRatio.mean.toFixed(2)}, `}${count} ${count === 1 ? 'run' : 'runs'}`,
    );
  }
  terminal.say(`One row for each run is in ${join(folder, 'sweep.csv')}.`);
  const left = ended.filter((history) => history === null).length;
  if (left > 0) terminal.say(`${left} of ${runs.length} runs are incomplete and left out of the means. The same command resumes them.`); // prettier-ignore
  return left === 0;
}
