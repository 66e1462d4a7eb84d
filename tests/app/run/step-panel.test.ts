import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it, vi } from 'vitest';
import { StepPanel } from '../../../src/app/run/step-panel';
import { viewOfKept } from '../../../src/app/session/run-view';
import { presets } from '../../../src/run/config/presets';
import { newRunRecord } from '../../../src/run/record/new-run';
import type { Rollout } from '../../../src/run/record/rollout-record';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { rollout } from '../../share/run-content';

beforeAll(stubDocument);

it('says that a step has no samples once it is known, not while its samples are read', async () => {
  const config = presets['ladder-12k'];
  const kept = { record: newRunRecord(config, 'a', {}), steps: [], evals: [], alerts: [] };
  const answers = new Map<number, () => void>();
  const rolloutsAt = (step: number) =>
    new Promise<readonly Rollout[]>((resolve) => answers.set(step, () => resolve([{ ...rollout, step }])));
  const view = viewOfKept('kept', { ...kept, rolloutSteps: [10, 12] }, { rolloutsAt });
  const until = signal(10);
  const Shown = () => h(StepPanel, { shows: 'update', view, until: until.value });
  const shown = drawn(h(Shown, {}));
  const answer = async (step: number) => {
    await vi.waitUntil(() => answers.has(step));
    answers.get(step)!();
    await vi.waitUntil(() => shown.text().includes(`(step ${step})`));
  };
  await answer(10);
  until.value = 11;
  await vi.waitUntil(() => shown.text().includes('No samples are kept of step 11: this is step 10.'));
  until.value = 12;
  await vi.waitUntil(() => answers.has(12));
  expect(shown.text()).not.toContain('No samples are kept');
  await answer(12);
  expect(shown.text()).not.toContain('No samples are kept');
});
