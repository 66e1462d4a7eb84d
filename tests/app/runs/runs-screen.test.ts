import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it } from 'vitest';
import { Runs } from '../../../src/app/runs/runs-screen';
import { RunsTable } from '../../../src/app/runs/runs-table';
import { presets } from '../../../src/run/config/presets';
import { newRunRecord } from '../../../src/run/record/new-run';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

beforeAll(stubDocument);

/** Names of the listed runs, and the words of their buttons. */
function listed(isLesson: boolean, seats: readonly string[]) {
  const runs = seats.map((seat) =>
    newRunRecord(presets['ladder-12k'], 'a run', {}, seat === '' ? undefined : { link: 'a class', seat }),
  );
  const shown = drawn(h(Runs, pageOf({ runs: signal(runs) }, { lesson: signal(isLesson) })));
  const words = (tag: string) => shown.all(tag).map(({ textContent }) => textContent);
  return { names: words('b'), buttons: words('button').join('; ') };
}

it('a run of a class is listed with its seat', () => {
  const { names } = listed(false, ['7', 'Zoë', '']);
  expect(names).toEqual(['Seat 7: ', 'Zoë: ', ''].map((seat) => `${seat}The ladder: the small model`));
});

it('outside a lesson a run offers all files, in a lesson none', () => {
  expect(listed(false, ['7']).buttons).toMatch(/metrics\.csv.*run\.marble/);
  expect(listed(true, ['7']).buttons).not.toMatch(/metrics\.csv/);
});

it('a run that trains is marked as such next to its steps in a table', () => {
  const config = presets['ladder-25k'];
  const record = { ...newRunRecord(config, 'a run', {}), status: 'running' as const };
  const history = { record, steps: [], evals: [], alerts: [] };
  const textOf = (standing?: string): string => {
    const rows = [{ name: 'one', config, history, standing }];
    return drawn(h(RunsTable, { label: 'runs', heading: 'run', rows })).text();
  };
  expect(textOf()).toContain('0 of 60interrupted');
  expect(textOf('training now')).toContain('0 of 60training now');
});
