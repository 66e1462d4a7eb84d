import { expect, it } from 'vitest';
import { FIRST_STEPS, MOST_HELD, putThinned, thinned } from '../../../src/run/record/thinned';

const stepOf = (step: number): number => step;
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

/** Steps that a page holds after each of these was added in turn. */
function added(steps: readonly number[]): number[] {
  const list: number[] = [];
  for (const step of steps) putThinned(list, step, stepOf);
  return list;
}

it('a page holds every step of a run up to a limit', () => {
  expect(added(upTo(MOST_HELD))).toEqual(upTo(MOST_HELD));
  expect(thinned(upTo(MOST_HELD), stepOf)).toEqual(upTo(MOST_HELD));
});

it.each([1, 2, 2.5, 4, 12.3])(
  'of a run %d times as long a page holds a bounded number of evenly spaced steps',
  (factor) => {
    const last = Math.floor(factor * MOST_HELD) + 1;
    const held = added(upTo(last));
    expect(held).toEqual(thinned(upTo(last), stepOf));
    expect(held.length).toBeGreaterThan(MOST_HELD / 2);
    expect(held.length).toBeLessThanOrEqual(MOST_HELD + FIRST_STEPS);
    expect(held.slice(0, FIRST_STEPS)).toEqual(upTo(FIRST_STEPS));
    expect(held.at(-1)).toBe(last);
    const stride = held.at(-2)! - held.at(-3)!;
    const spaced = held.slice(FIRST_STEPS, -1);
    expect(spaced.every((step) => step % stride === 0)).toBe(true);
    expect(held).toContain(stride * Math.floor((last - 1) / stride));
  },
);

it('steps that a resumed run repeats replace the held ones', () => {
  const list = added(upTo(3 * MOST_HELD));
  for (let step = MOST_HELD; step <= 3 * MOST_HELD; step += 1) putThinned(list, step, stepOf);
  expect(list).toEqual(thinned(upTo(3 * MOST_HELD), stepOf).filter((step) => list.includes(step)));
  expect(list.slice(list.indexOf(MOST_HELD))).toEqual(
    thinned(upTo(3 * MOST_HELD), stepOf).filter((step) => step >= MOST_HELD),
  );
});

it('a short list of steps with rollouts of a long run is whole', () => {
  const sparse = upTo(40).map((place) => 1001 * place);
  expect(thinned(sparse, stepOf)).toEqual(sparse);
});
