/** The log of a run: kills at every write, memory, readers while it grows, and folders from before it. */
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runInFolder } from '../../src/command/asked-run';
import { openLog, removeLog, saveRun } from '../../src/command/run-log';
import { follow, type Training } from '../../src/command/subcommands/train';
import { train } from '../../src/rl/trainer';
import { createCheckpointClock } from '../../src/run/record/checkpoint-clock';
import type { TrainerEvent } from '../../src/run/record/events';
import { timingMetrics } from '../../src/run/record/metrics';
import { emptyHistory } from '../../src/run/record/history';
import { newRunRecord } from '../../src/run/record/new-run';
import type { Rollout } from '../../src/run/record/rollout-record';
import { packRun, type RunFile } from '../../src/share/run-file';
import { folderForEach } from '../fixtures/folder';
import { sampled } from '../fixtures/sample';
import { refusalOf } from '../model/refusal';
import { smallConfig, warmTable } from '../rl/runs';
import { all, checkpoint, rollout, run as wholeRun } from '../share/run-content';
import { terminalTo } from './terminal';

const folder = folderForEach('log');
afterEach(() => void vi.restoreAllMocks());

const config = smallConfig({
  steps: 4,
  evaluation: { every: 2, items: 6, seed: 7 },
  checkpointEvery: 1,
});
const record = newRunRecord(config, 'a run', {});
const fresh = (): RunFile => ({ history: { ...emptyHistory, record }, rollouts: [], checkpoint: null });
const terminal = terminalTo();
const parts = { step: 1, ends: 1, look: 1 };
const clock = () => ({ stepEnded: () => undefined, isDue: () => false, taken: () => undefined });

const trainingOf = ({ history }: RunFile): Training => ({
  record: history.record,
  soFar: { config: history.record.config, records: [], evaluated: -1, evaluating: 0 },
});

/** Trains the run of a folder to its end, as the command does. @param signal stops it */
async function session(path: string, signal?: AbortSignal): Promise<void> {
  const run = (await runInFolder(path)) ?? fresh();
  if (run.history.record.status === 'done') return;
  const log = await openLog(path, run);
  try {
    const policy = await warmTable();
    const options = { resume: run.checkpoint ?? undefined, evaluatesStartLater: true, signal };
    const training = trainingOf(run);
    const ending = await follow(train(policy, config, options), training, log, clock(), {
      terminal,
      parts,
    });
    const status = ending === 'done' ? 'done' : 'stopped';
    const unwritten = await saveRun(path, await log.read({ ...training.record, status }));
    if (unwritten !== null) throw unwritten;
    await removeLog(path);
  } finally {
    await log.close();
  }
}

/** The rows of a run, without its times. */
async function rowsOf(run: RunFile | null): Promise<unknown> {
  const rollouts = (await all(run!.rollouts)).flat();
  const { steps, evals, alerts } = run!.history;
  const untimed = steps.map((step) =>
    Object.fromEntries(Object.entries(step).filter(([name]) => !timingMetrics.includes(name))),
  );
  return { steps: untimed, evals, alerts, rollouts };
}

/** Methods of every open file. */
async function fileMethods(): Promise<FileHandle> {
  const handle = await open(import.meta.filename);
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}

/** Ends the process at its n-th call that writes: half of the bytes arrive, and nothing that follows. */
async function killAt(call: number): Promise<() => boolean> {
  const methods = await fileMethods();
  // oxlint-disable-next-line typescript/unbound-method -- called with its file below
  const { appendFile, sync } = methods;
  let calls = 0;
  const isDead = (): boolean => calls >= call;
  vi.spyOn(methods, 'appendFile').mockImplementation(async function (this: FileHandle, data) {
    if (isDead()) throw new Error('dead');
    calls += 1;
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    await appendFile.call(this, isDead() ? bytes.subarray(0, bytes.length / 2) : bytes);
    if (isDead()) throw new Error('killed');
  });
  vi.spyOn(methods, 'sync').mockImplementation(async function (this: FileHandle) {
    if (isDead()) throw new Error('dead');
    calls += 1;
    if (isDead()) throw new Error('killed');
    await sync.call(this);
  });
  return isDead;
}

describe('a run that is killed', () => {
  it('at any write resumes with the same rows', { tags: ['long'], timeout: 300_000 }, async () => {
    await session(folder());
    const expected = await rowsOf(await runInFolder(folder()));
    const files = readdirSync(folder()).sort();
    expect(files).toEqual(['metrics.csv', 'run.marble']);
    const stride = sampled(7, 1);
    for (let call = 1, wasKilled = true; wasKilled; call += stride) {
      for (const name of readdirSync(folder())) rmSync(join(folder(), name));
      const isDead = await killAt(call);
      await session(folder()).catch(() => undefined);
      wasKilled = isDead();
      vi.restoreAllMocks();
      await session(folder());
      expect(await rowsOf(await runInFolder(folder())), `write ${call}`).toEqual(expected);
      expect(readdirSync(folder()).sort()).toEqual(files);
    }
  });

  it('after a clean stop, or without its log’s last rows, too', async () => {
    await session(folder());
    const expected = await rowsOf(await runInFolder(folder()));
    rmSync(join(folder(), 'run.marble'));
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 5);
    await session(folder(), stop.signal);
    expect(existsSync(join(folder(), 'run.checkpoint'))).toBe(false);
    await session(folder());
    expect(await rowsOf(await runInFolder(folder()))).toEqual(expected);
  });

  it('resumes from a file of the page without its rows after the checkpoint', async () => {
    const { history } = wholeRun;
    const later = { ...history, steps: [...history.steps, { step: 3, reward: 1 }] };
    const rollouts = [1, 2, 3].map((step) => [{ ...rollout, step }]);
    await (await openLog(folder(), { ...wholeRun, history: later, rollouts })).close();
    const logged = (await runInFolder(folder()))!;
    expect(await rowsOf(logged)).toEqual(await rowsOf(wholeRun));
    expect(logged.checkpoint).toEqual(checkpoint);
  });
});

it('a run’s memory does not grow with its steps', { tags: ['long'], timeout: 120_000 }, async () => {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  const long = { ...config, steps: 3000 };
  const alive: WeakRef<Rollout[]>[] = [];
  const measured: number[] = [];
  async function* events(): AsyncGenerator<TrainerEvent, void, void> {
    for (let step = 1; step <= long.steps; step += 1) {
      const rollouts = Array.from({ length: 8 }, (_, sample) => ({
        ...rollout,
        ...{ step, sample, completion: `${step} ${sample} `.repeat(50) },
      }));
      alive.push(new WeakRef(rollouts));
      yield { type: 'step', record: { step, reward: step, step_time: 1 } };
      yield { type: 'rollouts', step, rollouts };
      if (step % 50 === 0) yield { type: 'checkpoint', checkpoint: { ...checkpoint, config: long, step } };
      if (step !== 500 && step !== 3000) continue;
      await new Promise((resolve) => setTimeout(resolve, 50)); // finishes reads and writes
      collect();
      measured.push(alive.filter((one) => one.deref() !== undefined).length);
    }
  }
  const run = fresh();
  run.history.record = { ...record, config: long };
  const log = await openLog(folder(), run);
  const training = trainingOf(run);
  await follow(events(), training, log, createCheckpointClock(false), { terminal, parts });
  await log.close();
  const [early, late] = measured;
  expect(late).toBeLessThanOrEqual(early);
  expect(late).toBeLessThan(5);
  expect(training.soFar.records.length).toBeLessThan(20);
  const { history } = (await runInFolder(folder()))!;
  expect(history.steps).toHaveLength(3000);
});

describe('a folder that trains', () => {
  it('can be read at any moment, up to its last checkpoint', { timeout: 120_000 }, async () => {
    let isOver = false;
    const trained = session(folder()).finally(() => (isOver = true));
    const seen = new Set<number>();
    while (!isOver) {
      const run = await runInFolder(folder());
      if (run !== null) {
        const { steps } = run.history;
        expect(steps.map(({ step }) => step)).toEqual(steps.map((_, index) => index + 1));
        expect(steps.length).toBe(run.checkpoint?.step);
        seen.add(steps.length);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await trained;
    expect(seen.size).toBeGreaterThan(1);
  });

  it('is refused with a name where its log is damaged', { tags: ['long'] }, async () => {
    const begin = async (): Promise<void> =>
      (await openLog(folder(), (await runInFolder(folder())) ?? fresh())).close();
    const file = await packRun(wholeRun);
    writeFileSync(join(folder(), 'run.marble'), new Uint8Array(await file.arrayBuffer()));
    await begin();
    const length = 65 * 2 ** 20;
    const checkpointFile = join(folder(), 'run.checkpoint');
    const committed = readFileSync(checkpointFile);
    writeFileSync(checkpointFile, Buffer.concat([Buffer.from(`marble-log 1 ${length} 0\n`), committed.subarray(committed.indexOf(10) + 1)])); // prettier-ignore
    writeFileSync(join(folder(), 'metrics.jsonl'), Buffer.alloc(length, 'x'));
    await expect(begin()).rejects.toThrow(/A line of the log has more than/);
    truncateSync(join(folder(), 'metrics.jsonl'), 3);
    expect(await refusalOf(begin)).toBe('command/short-log');
    rmSync(join(folder(), 'run.checkpoint'));
    await begin();
  });
});
