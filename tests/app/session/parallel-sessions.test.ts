import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MarbleError, type ErrorReport } from '../../../src/base/error';
import type { RunConfig } from '../../../src/run/config/config';
import { example } from '../../share/example-config';
import { fakeWorld, keptRunOf, settled, type FakeWorld } from './fake-worker';

beforeEach(() => vi.stubGlobal('navigator', {}));

const names = ['ladder-12k', 'ladder-25k', 'ladder-398k'] as const;
const sizes = names.map((name): RunConfig => ({ ...example, model: { kind: 'embedded', name } }));
const nameOf = ({ model }: RunConfig): string => (model.kind === 'embedded' ? model.name : '');

/** Three models of different sizes that train side by side, each in the worker at its place. */
async function threeSizes(answers: Parameters<typeof fakeWorld>[0] = {}): Promise<FakeWorld> {
  const world = fakeWorld({ start: ({ config }: { config: RunConfig }) => nameOf(config), ...answers });
  const { sessions, workers } = world;
  await sessions.share();
  sessions.open();
  sessions.open();
  await settled();
  const begun = await Promise.all(
    sessions.all.value.map((session, place) => session.begin({ config: sizes[place], backend: 'wasm' })),
  );
  expect(begun).toEqual(names);
  for (const [place, config] of sizes.entries()) {
    const { record, ...kept } = keptRunOf(nameOf(config));
    workers[place].train({ ...kept, record: { ...record, config } });
  }
  await settled();
  return world;
}

describe('models of three sizes side by side', () => {
  it('have each their own worker, settings and history, under one lock', async () => {
    const { sessions, workers } = await threeSizes();
    for (const [place, worker] of workers.entries()) {
      for (let step = 1; step <= place + 1; step += 1) {
        worker.tell({ type: 'step', record: { step, reward: place } });
      }
    }
    const views = sessions.all.value.map(({ shown }) => shown.value!);
    await vi.waitUntil(() => views[2].records.value.length === 3);
    expect(views.map(({ config }) => nameOf(config))).toEqual(names);
    const rewards = views.map(({ records }) => [...records.value].map(({ reward }) => reward));
    expect(rewards).toEqual([[0], [1, 1], [2, 2, 2]]);
    expect(workers.map(({ calls }) => calls.filter((call) => call === 'lockAs').length)).toEqual([1, 1, 1]);
    expect([...names, 'other'].map((id) => sessions.trainsHere(id))).toEqual([true, true, true, false]);
  });

  it('stand still and go on together; the page is at work as long as one of them is', async () => {
    const { sessions, session, workers } = await threeSizes();
    await session.pause();
    for (const worker of workers) {
      expect(worker.calls).toContain('pause');
      worker.change({ is: 'paused' });
    }
    expect(session.activity.value).toBe('paused');
    await session.goOn();
    workers[0].change({ is: 'ended', how: 'done' });
    workers[1].change({ is: 'ended', how: 'done' });
    await settled();
    expect(sessions.all.value.map(({ activity }) => activity.value)).toEqual(['idle', 'idle', 'running']);
    expect(session.activity.value).toBe('running');
    await session.stop();
    expect(workers.map(({ calls }) => calls.includes('stop'))).toEqual([false, false, true]);
    workers[2].change({ is: 'ended', how: 'stopped' });
    await settled();
    expect(session.activity.value).toBe('idle');
  });

  it('end one by one: what fails stops no other, and the idle ones are closed with the lock', async () => {
    const { sessions, workers } = await threeSizes();
    const error: ErrorReport = { code: 'rl/not-finite', message: 'm', nextStep: 'n' };
    workers[1].change({ is: 'ended', how: 'failed', error });
    workers[0].change({ is: 'ended', how: 'done' });
    await settled();
    const codes = sessions.all.value.map(({ screen }) => screen.value?.code ?? '');
    expect(codes).toEqual(['', 'rl/not-finite', '']);
    expect(sessions.all.value.map(({ activity }) => activity.value)).toEqual(['idle', 'idle', 'running']);
    workers[2].change({ is: 'ended', how: 'done' });
    await settled();
    await sessions.close();
    expect(sessions.all.value).toHaveLength(1);
    expect(workers.map(({ isClosed }) => isClosed)).toEqual([false, true, true]);
    expect(workers[0].calls.at(-1)).toBe('lockAs');
  });

  it('keep open a worker with a run that the storage has refused', async () => {
    const { sessions, workers } = await threeSizes();
    const refusal: ErrorReport = { code: 'store/full', message: 'No room.', nextStep: 'Make some.' };
    workers[2].tell({ type: 'storage', error: refusal });
    workers[2].change({ is: 'running' }, { unkept: ['ladder-398k'] });
    for (const worker of workers) worker.change({ is: 'ended', how: 'done' });
    await settled();
    // The page shows the refusal of any session.
    expect(sessions.together.unkept.value).toEqual(['ladder-398k']);
    expect(sessions.together.notice.value).toEqual(refusal);
    await sessions.close();
    expect(workers.map(({ isClosed }) => isClosed)).toEqual([false, true, false]);
    sessions.open(); // takes the idle one
    expect([sessions.all.value.length, workers.length]).toEqual([2, 3]);
  });

  it('are all listed, opened, noted, saved and deleted where the storage has refused them', async () => {
    const stored = names.map((name) => ({ ...keptRunOf(name).record, step: 12 }));
    const asked: string[] = [];
    const { sessions, session, workers } = await threeSizes({ listRuns: () => stored });
    for (const [place, worker] of workers.entries()) {
      const name = names[place];
      const at60 = { ...stored[place], step: 60, status: 'done' as const };
      const log = (call: string) => (id: string) => void asked.push(`${place} ${call} ${id}`);
      worker.answers = {
        listRuns: () => stored.map((run) => (run.id === name ? at60 : run)),
        getRun: (id: string) => ({ ...keptRunOf(id), record: at60 }),
        runFile: (id: string) => new Blob([`${id} of worker ${place}`]),
        weightsFile: (id: string) => new Blob([`weights of ${id}`]),
        annotate: log('annotate'),
        deleteRun: log('deleteRun'),
      };
      worker.change({ is: 'ended', how: 'done' }, { unkept: [name] });
    }
    await settled();
    await sessions.close();
    await settled();
    expect(session.unkept.value).toEqual(names);
    const listed = session.runs.value.map(({ id, step }) => [id, step]).toSorted();
    expect(listed).toEqual(names.map((name) => [name, 60]));
    for (const [place, name] of names.entries()) {
      const file = await session.attemptOn(name, (service) => service.runFile(name));
      expect(await file?.text()).toBe(`${name} of worker ${place}`);
      expect((await session.history(name))?.record.step).toBe(60);
      expect(await (await session.weightsFile(name, 'last'))?.text()).toBe(`weights of ${name}`);
      await session.annotate(name, { notes: 'mine' });
      await session.remove(name);
      workers[place].change({ is: 'ended', how: 'done' }, { unkept: [] });
    }
    const calls = names.flatMap((name, place) => [`${place} annotate ${name}`, `${place} deleteRun ${name}`]);
    expect(asked).toEqual(calls);
    expect(session.unkept.value).toEqual([]);
  });

  it('are listed though the storage of the first answers nothing', async () => {
    const { session, workers } = await threeSizes();
    const { record } = keptRunOf(names[1]);
    workers[0].answers.listRuns = () => {
      throw new MarbleError('store/unavailable', 'No storage.', 'Go on.');
    };
    workers[1].answers.listRuns = () => [record];
    workers[1].change({ is: 'ended', how: 'done' }, { unkept: [names[1]] });
    await vi.waitUntil(() => session.runs.value.length > 0);
    expect(session.runs.value).toEqual([record]);
  });

  it('are not begun where another tab trains, however often it is asked', async () => {
    let isBusyElsewhere = true;
    const { sessions, session } = fakeWorld({
      lockAs: () => {
        if (isBusyElsewhere) throw new MarbleError('store/other-tab', 'Another tab trains.', 'Watch.');
      },
    });
    await session.connect();
    const presses = [sessions.share(), sessions.share()]; // the second before the first is answered
    expect([...(await Promise.all(presses)), await sessions.share()]).toEqual([false, false, false]);
    expect(session.screen.value?.code).toBe('store/other-tab');
    isBusyElsewhere = false;
    expect(await sessions.share()).toBe(true);
  });
});
