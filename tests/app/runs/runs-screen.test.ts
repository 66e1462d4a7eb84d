import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it } from 'vitest';
import { Runs } from '../../../src/app/runs/runs-screen';
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
  const found = { names: words('b'), buttons: words('button').join('; ') };
  return found;
}

it('a run of a class is listed with its seat', () => {
  const { names } = listed(false, ['7', 'Zoë', '']);
  expect(names).toEqual(['Seat 7: ', 'Zoë: ', ''].map((seat) => `${seat}The ladder: the small model`));
});

it.each(['7', ''])('in a lesson a run of seat “%s” offers only what the teacher’s page reads', (seat) => {
  const { buttons } = listed(true, [seat]);
  expect(buttons).toContain('Save the file for your teacher; Copy the result code');
  expect(buttons).not.toMatch(/metrics\.csv|Report/);
});

it('outside a lesson a run offers all files, and a student’s run first that for the teacher', () => {
  expect(listed(false, ['']).buttons).not.toContain('for your teacher');
  expect(listed(false, ['7']).buttons).toMatch(/^Save the file for your teacher.*metrics\.csv.*run\.marble/);
});
