/**
 * Data that a published version stored opens in this version and its run resumes. A fixture is written by
 * `scripts/record/stored-version.ts` of commit dcff214f. The only fixture is that of the coming version 0.1.0.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { train } from '../../src/rl/trainer';
import { checkRunConfig } from '../../src/run/config/check-config';
import type { RunConfig } from '../../src/run/config/config';
import { presets } from '../../src/run/config/presets';
import type { Checkpoint, TrainerEvent } from '../../src/run/record/events';
import { unpackRun } from '../../src/share/run-file';
import { createRunStore, type RunStore } from '../../src/store/runs';
import { createSweepStore, type Store } from '../../src/store/store';
import { resumeRun } from '../../workers/stored-run';
import { createTablePolicy } from '../rl/table-policy';
import { createMemoryStore, storedEntries, storedFolder } from './memory-store';

/** Trains the run's last step as the worker does, with a table policy, since the fixtures have no weights. */
async function trainLastStep(store: RunStore, id: string): Promise<TrainerEvent[]> {
  const machine = { adapter: 'another' };
  const { kept, resume } = await resumeRun(id, machine, store as Store, () => undefined);
  const { config } = kept.record;
  expect(checkRunConfig(config)).toEqual(config);
  expect(resume?.step).toBe(3);
  const policy = createTablePolicy();
  const checkpoint: Checkpoint = { ...resume!, policy: await policy.state() };
  const events: TrainerEvent[] = [];
  for await (const event of train(policy, config, { resume: checkpoint })) events.push(event);
  await store.appendEvents(id, events);
  return events;
}

describe.each(['0.1.0'])('a run stored by version %s', (version) => {
  it('is listed, shown and trained to its end', async () => {
    const store = createRunStore(createMemoryStore(storedEntries(version)).use);
    const [{ id, name, step, checkpointStep }] = await store.listRuns();
    expect([name, step, checkpointStep]).toEqual([version, 3, 3]);
    const { steps, evals } = await store.loadRun(id);
    expect(steps.map((record) => record.step)).toEqual([1, 2, 3]);
    expect(evals.map(({ report }) => report.step)).toEqual([0, 2]);
    // It was kept as one that “cannot be told”.
    expect(evals.map(({ verdict }) => verdict?.ending)).toEqual([undefined, 'not measured']);
    expect(await store.loadRollouts(id, 2)).toHaveLength(2);
    const last = (await trainLastStep(store, id)).at(-1);
    expect(last).toEqual({ type: 'done', step: 4 });
    const { record, ...history } = await store.loadRun(id);
    expect([record.status, history.steps.length, history.evals.length]).toEqual(['done', 4, 3]);
  });

  it('has a file that opens completely, is imported and trained', async () => {
    const file = new Blob([readFileSync(join(storedFolder, `${version}.marble`))]);
    const { history, rollouts, checkpoint } = await unpackRun(file);
    expect(checkRunConfig(history.record.config)).toEqual(history.record.config);
    expect(history.steps).toHaveLength(3);
    expect(history.evals.at(-1)?.verdict?.ending).toBe('not measured');
    expect(checkpoint?.trainer).toMatchObject({ lastEnding: 'too close to call' });
    const store = createRunStore(createMemoryStore().use);
    const { record } = await store.keepRun(history, rollouts, checkpoint);
    expect(await store.rolloutSteps(record.id)).toEqual([1, 2, 3]);
    expect(await store.loadRollouts(record.id, 3)).toHaveLength(2);
    expect((await trainLastStep(store, record.id)).at(-1)).toEqual({ type: 'done', step: 4 });
  });
});

it('an unfinished run whose version kept questions of its data set apart is not resumed', async () => {
  const store = createRunStore(createMemoryStore(storedEntries('0.1.0')).use);
  const [{ id }] = await store.listRuns();
  const { checkpoint } = (await store.resumeRun(id)).resumed!;
  const data = { ...checkpoint.config.data, source: 'imported:mine-0123456789abcdef' };
  const evaluation = { ...checkpoint.config.evaluation, validationItems: 60 };
  await store.saveCheckpoint(id, { ...checkpoint, config: { ...checkpoint.config, data, evaluation } });
  await expect(store.resumeRun(id)).rejects.toMatchObject({ code: 'store/other-questions' });
  expect((await store.loadCheckpoint(id))?.checkpoint.config.evaluation).not.toHaveProperty(
    'validationItems',
  );
});

it('the runs of a sweep with a deleted setting can be trained', async () => {
  const training = { mode: 'full' as const, arithmetic: 'f32' };
  const base: RunConfig = { ...presets['ladder-12k'], training };
  const sweeps = createSweepStore(createMemoryStore().use);
  await sweeps.putSweep({ id: 'a', base, axes: {}, runs: [], createdAt: 1 });
  const [{ base: read }] = await sweeps.listSweeps();
  expect(checkRunConfig(read)).toEqual(read);
});
