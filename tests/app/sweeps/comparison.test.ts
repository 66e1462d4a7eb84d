import { h } from 'preact';
import { beforeAll, expect, it } from 'vitest';
import { Comparison } from '../../../src/app/sweeps/comparison';
import { presets } from '../../../src/run/config/presets';
import { newRunRecord } from '../../../src/run/record/new-run';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { evalReport } from '../../run/verdict/verdicts';

beforeAll(stubDocument);

it('figures that did not change have no sign', () => {
  const rows = [1, 2, 3].flatMap((seed) =>
    ['KL penalty 0', 'KL penalty 0.1'].map((arm) => {
      const config = { ...presets['ladder-12k'], seed };
      const record = { ...newRunRecord(config, '', {}), status: 'done' as const };
      const evals = [{ report: evalReport() }, { report: evalReport({ step: 60 }) }];
      return { name: `${arm} ${seed}`, arm, config, history: { record, steps: [], alerts: [], evals } };
    }),
  );
  const shown = drawn(h(Comparison, { of: 'sweep', rows }));
  const text = shown.text();
  expect(text).toContain('KL penalty 0.1 less KL penalty 03±0'); // the 3 counts seeds
  expect(text).not.toMatch(/[+−]0|±0 ±/);
});
