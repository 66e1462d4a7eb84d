import { describe, expect, it } from 'vitest';
import {
  advantageColour,
  changesOf,
  likelihoodRatio,
  tokenProbability,
} from '../../../src/app/update/token-figures';
import { Tokens } from '../../../src/app/update/tokens';
import { rollout } from '../../share/run-content';
import type { TokenChanges } from '../../../src/run/record/rollout-record';

const changes = (before: number[], after: number[]): TokenChanges => ({
  texts: before.map(() => 'box'),
  advantages: before.map(() => 1),
  before,
  after,
});
describe('what an update did to a completion', () => {
  it('is the change of each token’s log p, and their sum as a factor', () => {
    const found = changes([-1, -2], [-0.5, -1.5]);
    expect(changesOf(found)).toEqual([0.5, 0.5]);
    expect(likelihoodRatio(found)).toBeCloseTo(Math.E, 6);
  });

  it('says so where a probability is all but 1 or 0, instead of 100 or 0 %', () => {
    expect([-1e-6, -20, Math.log(0.623)].map(tokenProbability)).toEqual(['> 99.9 %', '< 0.1 %', '62.3 %']);
  });
});

it('the colour of an advantage has the hue of its sign, and is deeper for a larger one', () => {
  expect(advantageColour(2, 2)).toBe('color-mix(in oklab, var(--likelier) 100%, var(--unmoved))');
  expect(advantageColour(-1, 2)).toBe('color-mix(in oklab, var(--unlikelier) 65%, var(--unmoved))');
  expect([advantageColour(0.001, 2), advantageColour(0, 0)]).toEqual(['var(--unmoved)', 'var(--unmoved)']);
});

it('a completion that is too long to be split is underlined as a whole', () => {
  const colours = (count: number) => {
    const of = (value: number) => Array.from({ length: count }, () => value);
    const byToken = { texts: of(1).map(() => 'a '), advantages: of(-1), before: of(-2), after: of(-1.5) };
    const shown = Tokens({ rollout: { ...rollout, byToken }, advantage: 1, largest: 1 });
    return JSON.stringify(shown).match(/--\w+likelier|--likelier/g);
  };
  expect(colours(2)).toEqual(['--unlikelier', '--unlikelier']);
  expect(colours(400)).toEqual(['--likelier']);
});
