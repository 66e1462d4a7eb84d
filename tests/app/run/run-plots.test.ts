import { h } from 'preact';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { RunPlots } from '../../../src/app/run/run-plots';
import { createRunView } from '../../../src/app/session/run-view';
import { isShortcutWrong } from '../../../src/run/record/rollout-shortcut';
import type { Rollout } from '../../../src/run/record/rollout-record';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { readRecording } from '../../fixtures/recordings';

beforeAll(() => stubDocument());
afterAll(() => vi.unstubAllGlobals());

const recording = readRecording('ladder-25k');

/** What stands beside the plots of a run whose last step has these answers, of so many that it drew. */
function inPractice(rollouts: Rollout[], drew: number): string {
  const { config } = recording;
  const rollout = { ...config.rollout, promptsPerStep: drew, samplesPerPrompt: 1 };
  const view = createRunView('live', { ...config, rollout });
  view.take({ type: 'rollouts', step: 1, rollouts });
  const plots = drawn(
    h(RunPlots, { view, recording: null, marksEnding: false, load: () => Promise.resolve([]) }),
  );
  const text = plots.text();
  plots.close();
  return text.slice(text.indexOf('In practice'));
}

it('says of the answer in practice whether its question is hard, and how many of its step are right', () => {
  const paidAs = (correct: boolean, one: Rollout): Rollout => ({
    ...one,
    reward: { ...one.reward, correct },
  });
  const hard = recording.rollouts.find(isShortcutWrong)!;
  const easy = recording.rollouts.find((one) => !isShortcutWrong(one))!;
  const step = [paidAs(false, hard), paidAs(true, easy), paidAs(true, easy)];
  expect(inPractice(step, 3)).toMatch(/^In practice 2 of 3 right .*Hard: Where/);
  expect(inPractice(step, 128)).toMatch(/^In practice +1\/60Hard: Where/); // a recording keeps some of them
  expect(inPractice(step.slice(1), 2)).toMatch(/^In practice 2 of 2 right 1\/60Where/);
});
