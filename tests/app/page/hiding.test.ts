import { h } from 'preact';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { RunPlots } from '../../../src/app/run/run-plots';
import { viewOfKept } from '../../../src/app/session/run-view';
import { FirstAndNow } from '../../../src/app/story/rollouts';
import { presets } from '../../../src/run/config/presets';
import { newRunRecord } from '../../../src/run/record/new-run';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { evalReport } from '../../run/verdict/verdicts';
import { rollout } from '../../share/run-content';

beforeAll(() => stubDocument());
afterAll(() => vi.unstubAllGlobals());

/** Its thinking has stopped at step 10, and its answer is the shortcut's. */
const asked = { ...rollout, shortcutAnswer: 'bin' };
const silent = { ...asked, step: 10, reward: { ...asked.reward, think: '', trace: null } };
const evals = [
  { report: evalReport({ step: 0, meanThinkLength: 20, samples: [asked] }) },
  { report: evalReport({ step: 10, meanThinkLength: 1, samples: [silent] }) },
];
const record = { ...newRunRecord(presets['ladder-12k'], 'a run', {}), step: 10 };
const view = viewOfKept('kept', { record, steps: [], evals, alerts: [], rolloutSteps: [] });

it('where the ending is hidden the figures stay, and no word beside them tells that thinking has stopped', () => {
  const textOf = (tells: boolean): string => {
    const load = () => Promise.resolve([]);
    const parts = [
      drawn(h(RunPlots, { view, recording: null, marksEnding: tells, load })),
      drawn(h(FirstAndNow, { evaluations: evals, at: 10, tellsEnding: tells })),
    ];
    const text = parts.map((part) => part.text()).join(' ');
    for (const part of parts) part.close();
    return text;
  };
  const telling = /halved|thinks nothing and answers by the shortcut/g;
  expect(textOf(true).match(telling)).toEqual(['halved', 'thinks nothing and answers by the shortcut']);
  expect(textOf(false)).not.toMatch(telling);
  expect(textOf(false)).toMatch(/Words of thinking[^]*Step 0 beside step 10/);
});
