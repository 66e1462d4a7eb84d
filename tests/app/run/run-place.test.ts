import { signal } from '@preact/signals';
import { h } from 'preact';
import { expect, it } from 'vitest';
import { createForm } from '../../../src/app/page/form-store';
import { RunPlace } from '../../../src/app/run/run-place';
import { textOf } from '../../fixtures/little-dom';
import { run } from '../../share/run-content';
import { pageOf } from '../page-of';

it('a lesson offers to resume a run without its settings', () => {
  const cut = { ...run.history.record, status: 'running', step: 8, checkpointStep: 7 };
  const session = { runs: signal([cut]), mayReadModel: () => false };
  const places = { place: signal({ name: 'run' }) };
  const page = pageOf(session, { ...createForm(), lesson: signal(true), places });
  expect(textOf(h(RunPlace, page))).toContain('Resume your run from step 7');
});
