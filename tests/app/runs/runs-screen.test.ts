import { signal } from '@preact/signals';
import { h } from 'preact';
import { expect, it } from 'vitest';
import { Runs } from '../../../src/app/runs/runs-screen';
import { presets } from '../../../src/run/config/presets';
import { newRunRecord } from '../../../src/run/record/new-run';
import { textOf } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

it('outside a lesson a run offers all files, in a lesson none', () => {
  const runs = signal([newRunRecord(presets['ladder-12k'], 'a run', {}, { link: 'a class', seat: '7' })]);
  const listed = (isLesson: boolean) => textOf(h(Runs, pageOf({ runs }, { lesson: signal(isLesson) })));
  expect(listed(false)).toMatch(/metrics\.csv.*run\.marble/);
  expect(listed(true)).not.toMatch(/metrics\.csv/);
});
