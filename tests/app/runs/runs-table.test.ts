import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it } from 'vitest';
import { RunsTable } from '../../../src/app/runs/runs-table';
import { presets } from '../../../src/run/config/presets';
import { drawn, stubDocument } from '../../fixtures/little-dom';

beforeAll(stubDocument);

it('runs are sorted by the numbers of a setting, however many digits these have', () => {
  const config = presets['ladder-25k'];
  const rows = [0.01, 0.0015, 0.002, 1e-5].map((learningRate) => ({
    name: String(learningRate),
    config: { ...config, optimizer: { ...config.optimizer, learningRate } },
    run: null,
  }));
  const sorting = signal({ key: 'optimizer.learningRate', isDown: false });
  const shown = drawn(h(RunsTable, { label: 'runs', heading: 'run', rows, sorting }));
  const names = shown.all('th').map(({ textContent }) => textContent);
  shown.close();
  expect(names.slice(-4)).toEqual(['0.00001', '0.0015', '0.002', '0.01']);
});
