import { effect } from '@preact/signals';
import { expect, it } from 'vitest';
import { createRunView, viewOfKept } from '../../../src/app/session/run-view';
import { example } from '../../share/example-config';
import { rollout } from '../../share/run-content';
import { keptRunOf } from './fake-worker';

it('a list that has grown is another list: components with the old one in their properties would not redraw', () => {
  const view = createRunView('live', example);
  const seen: number[] = [];
  const stop = effect(() => void seen.push(view.records.value.length));
  const records = view.records.value;
  view.take({ type: 'step', record: { step: 1 } });
  view.take({ type: 'rollouts', step: 1, rollouts: [] });
  view.take({ type: 'step', record: { step: 2 } });
  stop();
  expect(seen).toEqual([0, 1, 2]);
  expect(records.slice()).toEqual([]);
  expect(view.records.value).toHaveLength(2);
  expect(view.records.value).toBe(view.records.value);
});

it('a view of a kept run grows apart from what it was made of', () => {
  const kept = { ...keptRunOf('a'), steps: [{ step: 1 }] };
  const view = viewOfKept('live', kept);
  view.take({ type: 'step', record: { step: 2 } });
  expect([view.records.value.length, kept.steps.length]).toEqual([2, 1]);
});

it('the answers of the latest step come from memory, and those of earlier ones from the storage', async () => {
  const stored = [rollout];
  const view = createRunView('live', example, undefined, { rolloutsAt: () => Promise.resolve(stored) });
  const latest = [{ ...rollout, step: 7 }];
  view.take({ type: 'rollouts', step: 7, rollouts: latest });
  expect([await view.rolloutsAt(7), await view.rolloutsAt(1)]).toEqual([latest, stored]);
});
