import { expect, it } from 'vitest';
import { growingHistory } from '../../../src/run/record/history';
import { createHeldSteps, FIRST_STEPS, LAST_STEPS, MOST_HELD } from '../../../src/run/record/held-steps';
import type { Alert, StepRecord } from '../../../src/run/record/events';

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);
const recordsOf = (steps: readonly number[]): StepRecord[] => steps.map((step) => ({ step }));
const stepsOf = (records: readonly StepRecord[]): number[] => records.map(({ step }) => step);
const alertAt = (step: number): Alert => ({
  code: 'rl/no-signal',
  severity: 'info',
  step,
  cause: '',
  nextStep: '',
});

/** Steps that a page holds after each of these was added in turn. */
function added(steps: readonly number[], alerts: readonly number[] = []): number[] {
  const history = growingHistory();
  const held = createHeldSteps(history, []);
  for (const step of steps) {
    held.put({ step });
    if (alerts.includes(step)) history.alerts.push(alertAt(step));
  }
  return stepsOf(history.steps);
}

/** Steps that a page holds of a stored run. */
function opened(steps: readonly number[], rolloutSteps: readonly number[] = []): [number[], number[]] {
  const history = growingHistory({ steps: recordsOf(steps), evals: [], alerts: [] });
  const ofRollouts = [...rolloutSteps];
  createHeldSteps(history, ofRollouts);
  return [stepsOf(history.steps), ofRollouts];
}

it.each([1, 2, 2.5, 4, 12.3])(
  'of a run %d times as long a page holds a bounded number of evenly spaced steps',
  (factor) => {
    const last = Math.floor(factor * MOST_HELD) + 1;
    const held = added(upTo(last));
    const atOnce = opened(upTo(last))[0];
    expect(new Set([...held, ...atOnce]).size).toBe(held.length);
    expect(held.length).toBeGreaterThan(MOST_HELD / 2);
    expect(held.length).toBeLessThanOrEqual(MOST_HELD);
    expect(held.slice(0, FIRST_STEPS)).toEqual(upTo(FIRST_STEPS));
    expect(held.slice(-LAST_STEPS)).toEqual(upTo(last).slice(-LAST_STEPS));
    const spaced = atOnce.slice(FIRST_STEPS, -LAST_STEPS);
    const stride = spaced[1] - spaced[0];
    expect(spaced).toEqual(
      upTo(last).filter((step) => step % stride === 0 && step > FIRST_STEPS && step <= last - LAST_STEPS),
    );
  },
);

it('a page holds the steps with alerts', () => {
  const odd = [5001, 9003];
  expect(added(upTo(5 * MOST_HELD))).not.toContain(odd[0]);
  expect(added(upTo(5 * MOST_HELD), odd)).toEqual(expect.arrayContaining(odd));
});

it('steps that a resumed run repeats replace the held ones', () => {
  const last = 3 * MOST_HELD;
  const again = added([...upTo(last), ...upTo(last).slice(MOST_HELD - 1)]);
  const atOnce = opened(upTo(last))[0].filter((step) => step >= MOST_HELD);
  expect(again).toEqual([...new Set([...again, ...atOnce])].sort((a, b) => a - b));
  expect(again.length).toBeLessThanOrEqual(MOST_HELD);
});

it('a page holds all logged steps of another program, and the rollouts of steps with a record', () => {
  const logged = upTo(4000).map((place) => 10 * place);
  expect(opened(logged, upTo(40_000))).toEqual([logged, upTo(40_000)]);
  const [records, ofRollouts] = opened(upTo(20_000), upTo(20_000).slice(1000));
  expect(ofRollouts).toEqual(records.filter((step) => step > 1000));
  const sparse = upTo(400).map((place) => 25 * place);
  expect(opened(upTo(10_000), sparse)[1]).toEqual(sparse);
});
