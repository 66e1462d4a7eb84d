import { h } from 'preact';
import { expect, it, vi } from 'vitest';
import { handInName, saveRun } from '../../../src/app/runs/run-files';
import type { Session } from '../../../src/app/session/session';
import { CopyButton } from '../../../src/app/ui/copy-button';
import { presets } from '../../../src/run/config/presets';
import { emptyHistory } from '../../../src/run/record/history';
import { newRunRecord } from '../../../src/run/record/new-run';
import { drawn } from '../../fixtures/little-dom';
import { rollout } from '../../share/run-content';

it('names a student’s file after the seat and the seed, and after the step where the run has stopped', () => {
  const record = { ...newRunRecord({ ...presets['swap-shortcut'], seed: 1503 }, 'a run', {}), step: 41 };
  expect(handInName('5', { ...record, status: 'done' })).toBe('marble-5-seed-1503.marble');
  expect(handInName(' Zoë, C/B ', { ...record, status: 'stopped' })).toBe(
    'marble-Zoë-C-B-seed-1503-step-41.marble',
  );
  expect(handInName('…', { ...record, status: 'done' })).toBe('marble-student-seed-1503.marble');
});

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

it('a text that the browser does not let the page copy is shown to copy by hand', async () => {
  const text = (): string => 'M2.a code';
  const shown = drawn(h(CopyButton, { words: 'Copy', what: 'Code', copied: 'Copied.', text }));
  shown.all('button')[0].dispatchEvent(new Event('click'));
  await vi.waitFor(() => expect(shown.text()).toContain('Copy this text.'));
  expect(shown.all('textarea')[0].getAttribute('value')).toBe('M2.a code');
});
