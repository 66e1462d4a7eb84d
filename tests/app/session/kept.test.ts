/** The stored runs, and the run that the page shows. */
import { describe, expect, it, vi } from 'vitest';
import { viewOfKept } from '../../../src/app/session/run-view';
import { evalReport } from '../../run/verdict/verdicts';
import { example } from '../../share/example-config';
import { fakeClock, fakeWorld, keptRunOf, lost, refusing, trainingPage } from './fake-worker';

const run = keptRunOf('a');
const settled = fakeClock();

it('a run that the storage refuses stays with the worker that lost the GPU, to be saved from it', async () => {
  const file = new Blob(['run a']);
  const { session, workers } = await trainingPage({ listRuns: () => [run.record], runFile: () => file });
  workers[0].change({ is: 'running' }, { unkept: ['a'] });
  workers[0].change({ is: 'ended', how: 'lost', error: lost });
  await settled();
  expect([workers.length, workers[0].isClosed, session.activity.value]).toEqual([1, false, 'idle']);
  expect(session.screen.value?.code).toBe('gpu/device-lost');
  expect(session.screen.value?.nextStep).toContain('save it as a file');
  expect(await session.attempt((service) => service.runFile('a'))).toBe(file);
});

it.each(['resume', 'open'] as const)(
  'a run that is no longer in the storage is not offered after somebody has tried to %s it',
  async (act) => {
    let isCleared = false;
    const gone = refusing('store/no-run');
    const listRuns = () => (isCleared ? [] : [run.record]);
    const { session } = fakeWorld({ listRuns, start: gone, getRun: gone });
    await session.refreshRuns();
    expect(session.runs.value).toHaveLength(1);
    isCleared = true;
    await session[act]('a');
    await settled();
    expect(session.runs.value).toEqual([]);
    expect(session.screen.value?.code).toBe('store/no-run');
  },
);

it('a run that is read slowly replaces neither one that was opened after it nor one that trains by then', async () => {
  const answers = new Map<string, () => void>();
  const getRun = (id: string) =>
    new Promise((resolve) => answers.set(id, () => resolve({ ...keptRunOf(id), steps: [] })));
  const { session, workers } = fakeWorld({ getRun, start: () => 'c' });
  await session.refreshRuns();
  const opened = [session.open('a'), session.open('b')];
  await settled();
  answers.get('b')?.();
  answers.get('a')?.();
  await Promise.all(opened);
  expect(session.shown.value?.id).toBe('b');
  const again = session.open('a');
  await settled();
  await session.start(example);
  workers[0].train(keptRunOf('c'));
  answers.get('a')?.();
  await again;
  expect(session.shown.value?.id).toBe('c');
});

it('a run that trains is shown with all of its steps and tests, also those that came while another run was shown', async () => {
  const { session, workers } = await trainingPage();
  workers[0].tell({ type: 'step', record: { step: 1 } });
  session.shown.value = viewOfKept('kept', keptRunOf('b'));
  workers[0].tell({ type: 'step', record: { step: 2 } });
  workers[0].tell({ type: 'eval', report: { ...evalReport({}), step: 2 } });
  await vi.advanceTimersByTimeAsync(1000); // the page takes events at the pace of its drawing
  await session.open('a');
  const { origin, records, evaluations } = session.shown.value;
  expect([origin, workers[0].calls.includes('getRun')]).toEqual(['live', false]);
  expect(records.value.map(({ step }) => step)).toEqual([1, 2]);
  expect(evaluations.value.map(({ report }) => report.step)).toEqual([2]);
});

describe('a tab beside one that trains', () => {
  it('takes away what the other has deleted, and names what it has renamed', async () => {
    const kept = [keptRunOf('a').record, keptRunOf('b').record];
    let listed: object[] = kept;
    const { session } = fakeWorld({
      listRuns: () => listed,
      getRun: keptRunOf,
    });
    await session.refreshRuns();
    await session.open('a');
    await Promise.all(['a', 'b', 'a'].map((id) => session.toggleOverlay(id)));
    expect(session.overlays.value.map(({ record }) => record.id).sort()).toEqual(['a', 'b']);
    await session.toggleOverlay('a');
    listed = [kept[0], { ...kept[1], step: 2 }];
    await session.refreshRuns();
    expect(session.runOf('b')?.step).toBe(2);
    listed = [];
    await session.refreshRuns();
    expect(session.shown.value).toBeNull();
  });

  it('reads a shown run again once the other no longer trains it, unless another run is wanted', async () => {
    let isElsewhere = true;
    let steps = [{ step: 1 }];
    const { session } = fakeWorld({
      listRuns: () => [{ ...run.record, trainsElsewhere: isElsewhere }, keptRunOf('b').record],
      getRun: (id: string) => ({ ...keptRunOf(id), steps }),
    });
    const shown = () => [session.shown.value?.id, session.shown.value?.records.value.length];
    const refreshed = async (elsewhere: boolean) => {
      isElsewhere = elsewhere;
      await session.refreshRuns();
      await settled();
      return shown();
    };
    await refreshed(true);
    await session.open('a');
    steps = [{ step: 1 }, { step: 2 }];
    expect(await refreshed(true)).toEqual(['a', 1]);
    expect(await refreshed(false)).toEqual(['a', 2]);
    await refreshed(true);
    const opened = session.open('b');
    await refreshed(false);
    await opened;
    expect(shown()).toEqual(['b', 2]);
  });

  it('opens a long run part by part, holds some of its records, and reads all when they are asked for', async () => {
    const steps = Array.from({ length: 10_000 }, (_, index) => ({ step: index + 1 }));
    const asked: number[] = [];
    const { session } = fakeWorld({
      listRuns: () => [run.record],
      getRun: () => ({ ...run, steps: steps.slice(0, 4000), stepCount: steps.length }),
      getSteps: (_: string, from: number) => asked.push(from) && steps.slice(from, from + 4000),
    });
    await session.refreshRuns();
    await session.open('a');
    expect(asked).toEqual([4000, 8000]);
    const view = session.shown.value!;
    expect(view.records.value.length).toBeLessThan(5000);
    expect(view.records.value.at(-1)).toEqual({ step: 10_000 });
    expect(await session.allRecords(view)).toEqual(steps);
  });
});

it.each([
  ['that is opened a second time opens the run that is kept', { isNew: false }, 'null'],
  ['opens without fields that this version no longer has', { isNew: true, ignored: ['x.tiles'] }, 'x.tiles'],
])('a run file %s', async (_, found, words) => {
  const { record } = run;
  const answers = { listRuns: () => [record], getRun: () => run };
  const closeReader = vi.fn();
  const { session } = fakeWorld(answers, () => ({ record, ...found }), closeReader);
  expect(await session.openRunFile(new File([], 'a.marble'))).toBe('a');
  expect(JSON.stringify(session.notice.value)).toContain(words);
  expect(closeReader).toHaveBeenCalled();
});
