import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { awaitsGuess, hidesEnding } from '../../../src/app/page/hiding';
import { createRunView, viewOfKept } from '../../../src/app/session/run-view';
import { presets } from '../../../src/run/config/presets';
import { wilson } from '../../../src/reward/accuracy';
import { evalReport } from '../../run/verdict/verdicts';
import { pageOf } from '../page-of';
import { keptRunOf } from '../session/fake-worker';

it.each([0, 9])('a lesson hides the ending of a run that may have one: %i hard questions', (count) => {
  const report = evalReport({ shortcutWrong: wilson(0, count) });
  const view = viewOfKept('live', { ...keptRunOf('a'), evals: [{ report }] });
  const page = pageOf({ shown: signal(view) }, { lesson: signal(true) });
  expect(hidesEnding(page)).toBe(count > 0);
  expect(hidesEnding(pageOf({ shown: signal(null) }, { lesson: signal(true) }))).toBe(true);
});

it('the ending of a model of the first screen waits for a guess, and that of any other run does not', () => {
  const viewOf = (origin: 'recording' | 'live', preset: string) => createRunView(origin, presets[preset]);
  const [recording, live] = [viewOf('recording', 'ladder-12k'), viewOf('live', 'ladder-12k')];
  const isGuessed = signal(false);
  const ladder = { isGuessed, live: signal(new Map([['ladder-12k', live]])) };
  const page = pageOf({}, { ladder });
  const awaited = () =>
    [recording, live, viewOf('live', 'ladder-12k'), viewOf('recording', 'swap-faithful')].map((view) =>
      awaitsGuess(page, view),
    );
  expect(awaited()).toEqual([true, true, false, false]);
  isGuessed.value = true;
  expect(awaited()).toEqual([false, false, false, false]);
});
