import { h } from 'preact';
import { expect, it, vi } from 'vitest';
import { MarbleError } from '../../../src/base/error';
import { HandIn } from '../../../src/app/runs/hand-in';
import { handInName, saveRun } from '../../../src/app/runs/run-files';
import type { Session } from '../../../src/app/session/session';
import { CopyButton } from '../../../src/app/ui/copy-button';
import { presets } from '../../../src/run/config/presets';
import { emptyHistory } from '../../../src/run/record/history';
import { newRunRecord } from '../../../src/run/record/new-run';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { rollout } from '../../share/run-content';
import { fakeWorld } from '../session/fake-worker';

it('names a student’s file after the seat and the seed, and after the step where the run has stopped', () => {
  const record = { ...newRunRecord({ ...presets['swap-shortcut'], seed: 1503 }, 'a run', {}), step: 41 };
  expect(handInName('5', { ...record, status: 'done' })).toBe('marble-5-seed-1503.marble');
  expect(handInName(' Zoë, C/B ', { ...record, status: 'stopped' })).toBe(
    'marble-Zoë-C-B-seed-1503-step-41.marble',
  );
  expect(handInName('…', { ...record, status: 'done' })).toBe('marble-student-seed-1503.marble');
});

it.each(['metrics.csv', 'everything.jsonl'] as const)(
  'the page can draw in between while a long run is written as %s',
  async (kind) => {
    vi.stubGlobal('document', { createElement: () => ({ click: () => undefined }) });
    vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:x');
    const record = newRunRecord(presets['swap-shortcut'], 'a run', {});
    const steps = Array.from({ length: 20_000 }, (_, index) => ({ step: index + 1, reward: 1 }));
    const kept = { record, steps, evals: [], alerts: [], rolloutSteps: [] };
    const session = { history: () => Promise.resolve(kept), runOf: () => record };
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 30)); // as on a slow computer
    const timers = vi.spyOn(globalThis, 'setTimeout');
    await saveRun(session as unknown as Session, record.id, kind);
    expect(timers.mock.calls.filter(([, wait]) => wait === 0).length).toBeGreaterThanOrEqual(10);
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  },
);

it('the rollouts are those of the worker that holds the run, which the storage may have refused', async () => {
  vi.stubGlobal('document', { createElement: () => ({ click: () => undefined }) });
  const save = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:x');
  const record = newRunRecord(presets['swap-shortcut'], 'a run', {});
  const session = {
    runOf: () => record,
    history: () => Promise.resolve({ ...emptyHistory, record, rolloutSteps: [1] }),
    attempt: () => Promise.resolve([]),
    attemptOn: (id: string) => Promise.resolve(id === record.id ? [rollout] : []),
  };
  await saveRun(session as unknown as Session, record.id, 'everything.jsonl');
  const text = await (save.mock.calls[0][0] as Blob).text();
  expect(text.split('"type":"rollout"')).toHaveLength(2);
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it('an error of a file reaches the screen, and one of a result code its button', async () => {
  stubDocument();
  const config = { ...presets['swap-shortcut'], model: { kind: 'embedded' as const, name: 'gone' } };
  const record = newRunRecord(config, 'a run', {});
  const history = () => Promise.resolve({ ...emptyHistory, record, rolloutSteps: [] });
  const weightsFile = () => Promise.reject(new MarbleError('app/no-model', 'It is gone.', 'Choose another.'));
  const { session } = fakeWorld({});
  Object.assign(session, { history, weightsFile });
  expect(await saveRun(session, record.id, 'model.zip')).toBeNull();
  expect(session.screen.value?.code).toBe('app/no-model');
  const shown = drawn(h(HandIn, { session, run: record }));
  shown.all('button')[1].dispatchEvent(new Event('click'));
  await vi.waitFor(() => expect(shown.text()).toMatch(/gone; it must be one of .*start from a preset\./));
  vi.unstubAllGlobals();
});

it('a text that the browser does not let the page copy is shown to copy by hand', async () => {
  stubDocument();
  const text = (): string => 'M2.a code';
  const shown = drawn(h(CopyButton, { words: 'Copy', what: 'Code', copied: 'Copied.', text }));
  shown.all('button')[0].dispatchEvent(new Event('click'));
  await vi.waitFor(() => expect(shown.text()).toContain('Copy this text.'));
  expect(shown.all('textarea')[0].getAttribute('value')).toBe('M2.a code');
  vi.unstubAllGlobals();
});
