import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { interrupted } from '../../../src/app/ladder/ladder-page';
import { rungs } from '../../../src/run/recording/recording-file';
import { presets } from '../../../src/run/config/presets';
import { newRunRecord } from '../../../src/run/record/new-run';
import { pageOf } from '../page-of';

it('a reload offers to resume the interrupted models, and shows those that had ended', () => {
  const [small, middle] = rungs.map(({ preset }) => ({
    ...newRunRecord({ ...presets[preset], seed: 77 }, 'a run', {}),
    id: preset,
    checkpointStep: 50,
  }));
  const ladder = { atOnce: rungs.slice(0, 2), seed: signal(77) };
  const pageWith = (...runs: object[]) => pageOf({ runs: signal(runs) }, { ladder });
  const done = { ...small, status: 'done' as const, checkpointStep: 60 };
  expect(interrupted(pageWith(done, { ...middle, status: 'running' }))).toEqual({
    step: 50,
    runs: new Map([
      ['ladder-12k', { id: 'ladder-12k', isEnded: true }],
      ['ladder-25k', { id: 'ladder-25k', isEnded: false }],
    ]),
  });
  expect(interrupted(pageWith(done))).toBeNull();
  for (const other of [{ seed: 78 }, { steps: 90 }]) {
    const config = { ...middle.config, ...other };
    expect(interrupted(pageWith({ ...middle, status: 'running', config }))).toBeNull();
  }
});
