import { h } from 'preact';
import { beforeAll, expect, it } from 'vitest';
import { RunsTable } from '../../../src/app/runs/runs-table';
import { presets } from '../../../src/run/config/presets';
import { newRunRecord } from '../../../src/run/record/new-run';
import { drawn, stubDocument } from '../../fixtures/little-dom';

beforeAll(stubDocument);

const table = { label: 'runs', heading: 'run' };

it('a run that trains is marked as such next to its steps', () => {
  const config = presets['ladder-25k'];
  const record = { ...newRunRecord(config, 'a run', {}), status: 'running' as const };
  const run = { record, steps: [], evals: [], alerts: [] };
  const textOf = (standing?: string): string => {
    const rows = [{ name: 'one', config, history: run, standing }];
    return drawn(h(RunsTable, { ...table, rows })).text();
  };
  expect(textOf()).toContain('0 of 60interrupted');
  expect(textOf('training now')).toContain('0 of 60training now');
});
