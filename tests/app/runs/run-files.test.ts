import { expect, it } from 'vitest';
import { handInName } from '../../../src/app/runs/run-files';
import { presets } from '../../../src/run/config/presets';
import { newRunRecord } from '../../../src/run/record/new-run';

it('names a student’s file after the seat and the seed, and after the step where the run has stopped', () => {
  const record = { ...newRunRecord({ ...presets['swap-shortcut'], seed: 1503 }, 'a run', {}), step: 41 };
  expect(handInName('5', { ...record, status: 'done' })).toBe('marble-5-seed-1503.marble');
  expect(handInName(' Zoë, C/B ', { ...record, status: 'stopped' })).toBe(
    'marble-Zoë-C-B-seed-1503-step-41.marble',
  );
  expect(handInName('…', { ...record, status: 'done' })).toBe('marble-student-seed-1503.marble');
});
