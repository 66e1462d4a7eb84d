import { describe, expect, it } from 'vitest';
import { presets } from '../../../src/run/config/presets';
import { runOfSeat, seatName } from '../../../src/run/sweep/seats';
import { refusal } from '../../model/refusal';

const base = { ...presets['swap-shortcut'], seed: 1501 };
const class25 = { base, axes: { reward: ['logic-rl', 'faithful'] as const }, seats: 25 };

describe('a seat of a class', () => {
  it('gives every number a different run, equally many of each arm, and the arms the same seeds', () => {
    const runs = Array.from({ length: 25 }, (_, index) => runOfSeat(class25, String(index + 1)));
    expect(new Set(runs.map(({ arm, config }) => `${arm} ${config.seed}`)).size).toBe(25);
    const seedsOf = (name: string): number[] =>
      runs.filter(({ arm }) => arm === name).map(({ config }) => config.seed);
    expect(seedsOf('logic-rl reward')).toEqual(Array.from({ length: 13 }, (_, index) => 1501 + index));
    expect(seedsOf('faithful reward')).toEqual(Array.from({ length: 12 }, (_, index) => 1501 + index));
    expect(runs[1].config.reward.preset).toBe('faithful');
  });

  it('takes a number with a mark or zeros before it, or a mark behind it, for the number', () => {
    for (const typed of ['7,', '#7', ' 7. ', '(7)', '07', '# 007', '７']) {
      expect(seatName(typed)).toBe('7');
      expect(runOfSeat(class25, typed)).toEqual(runOfSeat(class25, '7'));
    }
  });

  it('varies nothing but the seed where the class has one arm', () => {
    const { arm, config } = runOfSeat({ base, axes: {}, seats: 3 }, '3');
    expect({ arm, config }).toEqual({ arm: '', config: { ...base, seed: 1503 } });
    const last = { ...base, seed: 2 ** 32 - 1 };
    expect(runOfSeat({ base: last, axes: {}, seats: 3 }, '2').config.seed).toBe(0);
  });

  it.each([
    ['', /No number was typed/],
    ['7 8', /No number was typed/],
    ['Ada 2', /No number was typed/],
    ['26', /There is no seat 26: this class has the numbers 1 to 25/],
    ['0', /There is no seat 0: /],
  ])('refuses %j and says which numbers there are', (typed, words) => {
    expect(() => runOfSeat(class25, typed)).toThrow(refusal('app/no-seat', words));
  });
});
