import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { hidesEnding } from '../../../src/app/page/hiding';
import { viewOfKept } from '../../../src/app/session/run-view';
import { wilson } from '../../../src/reward/accuracy';
import { evalReport } from '../../run/verdict/verdicts';
import { pageOf } from '../page-of';
import { keptRunOf } from '../session/fake-worker';

it.each([0, 9])('a lesson hides the ending of a run that may have one: %i hard questions', (count) => {
  const report = evalReport({ shortcutWrong: wilson(0, count) });
  const view = viewOfKept('live', { ...keptRunOf('a'), evals: [{ report }] });
  const page = pageOf({ shown: signal(view) }, { lesson: signal(true) });
  expect(hidesEnding(page)).toBe(count > 0);
});
