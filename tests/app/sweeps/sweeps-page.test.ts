import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it, vi } from 'vitest';
import { createRunView } from '../../../src/app/session/run-view';
import { SweepsPage } from '../../../src/app/sweeps/sweeps-page';
import { presets } from '../../../src/run/config/presets';
import type { SweepAxes } from '../../../src/run/sweep/sweep';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

beforeAll(() => {
  stubDocument();
  vi.stubGlobal('location', new URL('https://example.org/'));
});

it('the time left of a sweep over sizes is told as that of the size at work', () => {
  const base = presets['ladder-12k'];
  const textOf = (axes: SweepAxes): string => {
    const view = createRunView('live', base, { steps: [], evals: [], alerts: [], rolloutSteps: [] });
    Object.assign(view, { id: 'one', parts: { step: 1, ends: 1, look: 1 } });
    const sweep = { id: 'a', createdAt: 1, base, axes, backend: 'automatic', runs: ['one', null] };
    const queue = { refresh: () => Promise.resolve(), sweeps: signal([sweep]), running: signal('a') };
    const trainers = signal([{ view: signal(view) }]);
    const session = { runOf: () => undefined, activity: signal('running'), trainsHere: () => true, trainers };
    const page = pageOf(session, { queue });
    const shown = drawn(h(SweepsPage, { ...page, isEndingHidden: false }));
    const text = shown.text();
    shown.close();
    return text;
  };
  const sizes = (['ladder-12k', 'ladder-398k'] as const).map((name) => ({ kind: 'embedded', name }) as const);
  expect(textOf({ seed: [1, 2] })).toMatch(/about \d minutes to go for all, evaluations included(?!,)/);
  expect(textOf({ model: sizes })).toMatch(/ included, if each takes as long as this one/);
});
