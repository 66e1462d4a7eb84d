import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ErrorReport } from '../../../src/base/error';
import type { RunConfig } from '../../../src/run/config/config';
import type { RunRequest } from '../../../workers/protocol';
import { example } from '../../share/example-config';
import { fakeWorld, keptRunOf, refusing, settled, type FakeWorld } from './fake-worker';

beforeEach(() => vi.stubGlobal('navigator', {}));

const names = ['ladder-12k', 'ladder-25k', 'ladder-398k'] as const;
const sizes = names.map((name): RunConfig => ({ ...example, model: { kind: 'embedded', name } }));
const nameOf = ({ model }: RunConfig): string => (model.kind === 'embedded' ? model.name : '');

/** Three models of different sizes that train side by side, each in the worker at its place. */
async function threeSizes(answers: Parameters<typeof fakeWorld>[0] = {}): Promise<FakeWorld> {
  const world = fakeWorld({ start: ({ config }: { config: RunConfig }) => nameOf(config), ...answers });
  const { session, workers } = world;
  await session.share();
  session.openTrainer();
  session.openTrainer();
  await settled();
  const begun = await Promise.all(
    session.trainers.value.map((trainer, place) =>
      session.begin({ config: sizes[place], backend: 'wasm' }, trainer),
    ),
  );
  expect(begun.map((run) => run?.id)).toEqual(names);
  for (const [place, config] of sizes.entries()) {
    const { record, ...kept } = keptRunOf(nameOf(config));
    workers[place].train({ ...kept, record: { ...record, config } });
  }
  await settled();
  return world;
}

describe('models of three sizes side by side', () => {
  it('have each their own worker, settings and history, under one lock, and the files that are chosen', async () => {
    const { session, workers } = await threeSizes();
    for (const [place, worker] of workers.entries()) {
      for (let step = 1; step <= place + 1; step += 1) {
        worker.tell({ type: 'step', record: { step, reward: place } });
      }
    }
    const views = session.trainers.value.map(({ view }) => view.value!);
    await vi.waitUntil(() => views[2].records.value.length === 3);
    expect(views.map(({ config }) => nameOf(config))).toEqual(names);
    const rewards = views.map(({ records }) => [...records.value].map(({ reward }) => reward));
    expect(rewards).toEqual([[0], [1, 1], [2, 2, 2]]);
    expect(workers.map(({ calls }) => calls.filter((call) => call === 'lockAs').length)).toEqual([1, 1, 1]);
    expect([...names, 'other'].map((id) => session.trainsHere(id))).toEqual([true, true, true, false]);
    await session.chooseFiles({});
    for (const { calls } of workers) expect(calls).toContain('chooseFiles');
    expect(await session.share()).toBe(true);
    for (const worker of workers.slice(0, 2)) worker.change({ is: 'ended', how: 'done' });
    await settled();
    await session.stop();
    expect(workers.map(({ calls }) => calls.includes('stop'))).toEqual([false, false, true]);
  });

  it('keep open a worker with a run that the storage has refused, with a notice until all are stored', async () => {
    const { session, workers } = await threeSizes();
    const refusal: ErrorReport = { code: 'store/full', message: 'No room.', nextStep: 'Make some.' };
    workers[2].tell({ type: 'storage', error: refusal });
    for (const place of [1, 2]) workers[place].change({ is: 'running' }, { unkept: [names[place]] });
    workers[1].change({ is: 'running' }, { unkept: [] });
    for (const worker of workers) worker.change({ is: 'ended', how: 'done' });
    await settled();
    // The page shows the refusal of any session.
    expect([session.unkept.value, session.notice.value]).toEqual([[names[2]], refusal]);
    await session.closeIdle();
    expect(workers.map(({ isClosed }) => isClosed)).toEqual([false, true, false]);
    expect(session.trainers.value.map(({ unkept }) => unkept.value)).toEqual([[], [names[2]]]);
    workers[2].change({ is: 'ended', how: 'done' }, { unkept: [] });
    expect(session.notice.value).toBeNull();
  });

  it('are all listed, opened, saved and deleted where the storage has refused them', async () => {
    const stored = names.map((name) => ({ ...keptRunOf(name).record, step: 12 }));
    const asked: string[] = [];
    const { session, workers } = await threeSizes({ listRuns: () => stored });
    for (const [place, worker] of workers.entries()) {
      const name = names[place];
      const at60 = { ...stored[place], step: 60, status: 'done' as const };
      const log = (call: string) => (id: string) => void asked.push(`${place} ${call} ${id}`);
      worker.answers = {
        listRuns: () => stored.map((run) => (run.id === name ? at60 : run)),
        getRun: (id: string) => ({ ...keptRunOf(id), record: at60 }),
        getRollouts: () => [place],
        runFile: (id: string) => new Blob([`${id} of worker ${place}`]),
        weightsFile: (id: string) => new Blob([`weights of ${id}`]),
        deleteRun: log('deleteRun'),
      };
      worker.change({ is: 'ended', how: 'done' }, { unkept: [name] });
    }
    await settled();
    await session.closeIdle();
    await settled();
    expect(session.unkept.value).toEqual(names);
    const listed = session.runs.value.map(({ id, step }) => [id, step]).toSorted();
    expect(listed).toEqual(names.map((name) => [name, 60]));
    for (const [place, name] of names.entries()) {
      const file = await session.attemptOn(name, (service) => service.runFile(name));
      expect(await file?.text()).toBe(`${name} of worker ${place}`);
      expect((await session.history(name))?.record.step).toBe(60);
      expect(await session.drawnRollouts(name, 60)).toEqual([place]);
      expect(await (await session.weightsFile(name))?.text()).toBe(`weights of ${name}`);
      await session.remove(name);
      workers[place].change({ is: 'ended', how: 'done' }, { unkept: [] });
    }
    const calls = names.map((name, place) => `${place} deleteRun ${name}`);
    expect(asked).toEqual(calls);
    expect(session.unkept.value).toEqual([]);
  });

  it('are resumed by no other worker than the one that has their refused part, until that is stored', async () => {
    const start = (request: RunRequest) => ('id' in request ? request.id : nameOf(request.config));
    const { session, workers } = await threeSizes({ start });
    const [, name] = names;
    workers[0].change({ is: 'ended', how: 'done' });
    workers[1].change({ is: 'ended', how: 'stopped' }, { unkept: [name] });
    workers[2].change({ is: 'ended', how: 'done' });
    await settled();
    await session.closeIdle();
    const starts = () => workers[0].calls.filter((call) => call === 'start').length;
    await session.resume(name);
    expect([starts(), session.screen.value?.code]).toEqual([1, 'store/not-kept']);
    workers[1].answers.listRuns = () => {
      workers[1].change({ is: 'ended', how: 'stopped' }, { unkept: [] });
      return [];
    };
    await session.resume(name);
    expect([starts(), session.screen.value]).toEqual([2, null]);
  });

  it('are not begun where another tab trains, however often it is asked', async () => {
    let lockAs: () => unknown = refusing('store/other-tab');
    const { session, workers } = fakeWorld({ lockAs: () => lockAs() });
    await session.refreshRuns();
    await session.chooseFiles({});
    workers[0].fail();
    await settled();
    expect([await session.share(), await session.share()]).toEqual([false, false]);
    expect(workers[1].calls).toContain('chooseFiles'); // before the lock, which is refused
    lockAs = () => undefined;
    expect(await session.share()).toBe(true);
  });
});
