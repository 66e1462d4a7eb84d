import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it } from 'vitest';
import { RunsTable } from '../../../src/app/runs/runs-table';
import { presets } from '../../../src/run/config/presets';
import { newRunRecord } from '../../../src/run/record/new-run';
import { drawn, stubDocument } from '../../fixtures/little-dom';

beforeAll(stubDocument);

const table = { label: 'runs', heading: 'run', showsEndings: true };

it('runs are sorted by the numbers of a setting, however many digits these have', () => {
  const config = presets['ladder-25k'];
  const rows = [0.01, 0.0015, 0.002, 1e-5].map((learningRate) => ({
    name: String(learningRate),
    config: { ...config, optimizer: { ...config.optimizer, learningRate } },
    history: null,
  }));
  const sorting = signal({ key: 'optimizer.learningRate', isDown: false });
  const shown = drawn(h(RunsTable, { ...table, rows, sorting }));
  const names = shown.all('th').map(({ textContent }) => textContent);
  expect(names.slice(-4)).toEqual(['0.00001', '0.0015', '0.002', '0.01']);
});

it('a run that trains is marked as such next to its steps', () => {
  const config = presets['ladder-25k'];
  const record = { ...newRunRecord(config, 'a run', {}), status: 'running' as const };
  const run = { record, steps: [], evals: [], alerts: [] };
  const textOf = (standing?: string): string => {
    const rows = [{ name: 'one', config, history: run, standing }];
    return drawn(h(RunsTable, { ...table, rows, sorting: signal(null) })).text();
  };
  expect(textOf()).toContain('0 of 60interrupted');
  expect(textOf('training now')).toContain('0 of 60training now');
});
