import { describe, expect, it } from 'vitest';
import { createStepPace, secondsToGo, type RunSoFar } from '../../../src/app/page/run-time-left';
import { completionsOf } from '../../../src/run/config/config';
import { answersAt } from '../../../src/run/config/evaluation-plan';
import { presets } from '../../../src/run/config/presets';
import type { StepRecord } from '../../../src/run/record/events';

/** Steps of half a second, and evaluations whose answers take 20 ms: 9 s at both ends and 6 s at each of two looks. */
const evaluation = { ...presets['ladder-25k'].evaluation, every: 20, items: 100, finalItems: 120 };
const config = { ...presets['ladder-25k'], steps: 60, evaluation };
const stepSeconds = 0.5;
const evaluationSeconds = (step: number): number => 0.02 * answersAt(step, config);

/** Every step of the run as the page is told of it, step 0 evaluated first or at the first look. @returns at each the seconds that were said to be left, and those that were */
function told(
  sees: (step: number) => boolean,
  startAt = 0,
): { step: number; said: number | null; left: number }[] {
  const pace = createStepPace();
  const run: RunSoFar = { config, records: [], evaluated: -1, evaluating: null };
  const said: { step: number; said: number | null; at: number }[] = [];
  let now = 0;
  const evaluate = (step: number): void => {
    const took = evaluationSeconds(step);
    for (const fraction of [0, 0.5]) {
      const evaluating = fraction * answersAt(step, config);
      if (sees(step)) pace.tell(1000 * (now + fraction * took), { ...run, evaluating });
      said.push({
        step: run.records.length + fraction / 10,
        said: secondsToGo({ ...run, evaluating }, pace),
        at: now + fraction * took,
      });
    }
    now += took;
    run.evaluated = step;
    pace.tell(1000 * now, run);
  };
  if (startAt === 0) evaluate(0);
  for (let step = 1; step <= config.steps; step++) {
    now += stepSeconds;
    const record = { step, 'time/rollout': (0.02 / 3) * completionsOf(config) } as unknown as StepRecord;
    run.records = [...run.records, record];
    pace.tell(1000 * now, run);
    said.push({ step, said: secondsToGo(run, pace), at: now });
    if (step === startAt) evaluate(0);
    if (step % evaluation.every === 0) evaluate(step);
  }
  return said.map(({ at, ...rest }) => ({ ...rest, left: now - at }));
}

describe('the time that a run has to go', () => {
  it.each([0, evaluation.every])(
    'is right within a quarter from the fifth step on, evaluations counted, also while one is at work, step 0 evaluated at step %i',
    (startAt) => {
      for (const { step, said, left } of told(() => true, startAt).filter((one) => one.step >= 5)) {
        expect(Math.abs(said! - left), `step ${step}: ${said} said, ${left} left`).toBeLessThan(
          0.25 * left + 0.01,
        );
      }
    },
  );

  it('takes three answers of a step for one of an evaluation before it has seen one', () => {
    const { said, left } = told(() => false).find(({ step }) => step === 10)!;
    expect(Math.abs(said! - left)).toBeLessThan(0.25 * left);
  });
});
