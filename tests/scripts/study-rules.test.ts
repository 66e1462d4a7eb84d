import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/base/random';
import { payRuns } from '../../scripts/study/study-plan';
import {
  foretelling,
  lowerBound,
  payRule,
  permutationP,
  rankCorrelation,
  sizeRule,
} from '../../scripts/study/rules';

const starts = (...kept: (number | null)[]): { kept: number | null }[] =>
  kept.map((value) => ({ kept: value }));

describe('the rules of the second study', () => {
  it('bounds a fraction as Wilson does', () => {
    expect(lowerBound(215, 1000)).toBeCloseTo(0.1944, 3);
    expect(lowerBound(230, 1000)).toBeGreaterThan(0.2);
  });

  it('counts every labelling once', () => {
    expect(permutationP([3, 4], [1, 2])).toBeCloseTo(1 / 6);
    expect(permutationP([1, 1], [1, 1])).toBe(1);
  });

  it('stands where the large model keeps and the small one loses, and not otherwise', () => {
    const [kept, lost] = [starts(0.9, 0.95, 1, 0.8, 0.9, 0.85, 0.2), starts(0.1, 0, 0.05, 0.2, 0, 0.1, 0.3)];
    expect(sizeRule(lost, kept)).toMatchObject({ ending: 'stands', counted: [7, 7] });
    expect(sizeRule(kept, lost).ending).toBe('fails');
    expect(sizeRule(lost.slice(1), kept).ending).toBe('not testable');
    expect(
      sizeRule(
        lost,
        kept.map(({ kept: k }) => ({ kept: k! / 2 })),
      ).ending,
    ).toBe('fails');
  });

  it('takes starts that do not count against the claim', () => {
    const finding = sizeRule(starts(0, 0, 0, 0, 0, 0, 0, null), starts(1, 1, 1, 1, 1, 1, 1, null));
    expect(finding.large - finding.small).toBe(1);
    expect(finding.sensitivity).toBeCloseTo(0.75);
  });

  it('seldom stands when size does nothing, and mostly when it acts as the pilots show', () => {
    const random = createRandom(7);
    const near = (middle: number): number => Math.max(0, Math.min(1, middle + 0.15 * random.normal()));
    // The pilots at 398k: K of 1.0, .97 and .41.
    const large = (): number => near(random.choice([1, 0.97, 0.41]));
    const rateOf = (small: () => number): number => {
      let standing = 0;
      for (let study = 0; study < 40; study++) {
        const draw = (one: () => number): { kept: number }[] =>
          Array.from({ length: 10 }, () => ({ kept: one() }));
        if (sizeRule(draw(small), draw(large)).ending === 'stands') standing += 1;
      }
      return standing / 40;
    };
    expect(rateOf(large)).toBeLessThanOrEqual(0.05);
    expect(rateOf(() => near(0.05))).toBeGreaterThanOrEqual(0.9);
  });

  it('finds a score that foretells, and none in noise', () => {
    const runs = Array.from({ length: 20 }, (_, index) => ({
      score: index,
      hit: index < 8,
    }));
    expect(foretelling(runs, 500)).toEqual({ auc: 1, p: 1 / 501 });
    const noise = runs.map((run, index) => ({ ...run, hit: index % 2 === 0 }));
    expect(foretelling(noise, 500).p).toBeGreaterThan(0.1);
  });

  it('finds nothing in a score that tells groups apart and no run within one', () => {
    const runs = Array.from({ length: 20 }, (_, index) => ({
      score: index < 10 ? 0 : 1,
      hit: index < 10,
      group: index < 10 ? '12k' : '398k',
    }));
    expect(foretelling(runs, 500)).toEqual({ auc: 1, p: 1 });
    const within = runs.map((run, index) => ({ ...run, score: index, hit: index % 10 < 5 }));
    expect(foretelling(within, 500).p).toBeLessThan(0.01);
  });

  it('correlates ranks as Spearman does, ties by their mean', () => {
    expect(rankCorrelation([1, 2, 3, 4], [1, 8, 27, 64])).toBeCloseTo(1);
    expect(rankCorrelation([1, 2, 3, 4, 5], [2, 1, 4, 3, 0])).toBeCloseTo(-0.2);
    expect(rankCorrelation([1, 2, 2, 4], [1, 2, 3, 4])).toBeCloseTo(0.9487, 4);
  });
});

describe('the rule of study 3a', () => {
  const random = createRandom(11);
  /** Pay of the shortcut at the four S; each start's full thinking earns about 2.5 to 3. */
  const shortcuts = [1.48, 1.95, 2.3, 2.65];
  const invented = (keptOf: (gain: number) => number) =>
    [21, 22, 23, 24, 25].flatMap((seed) => {
      const full = 2.5 + 0.5 * random.uniform();
      return [0.6, 1].flatMap((temperature) =>
        shortcuts.map((pay) => {
          const gain = full - 0.1 * temperature - pay;
          return { seed, gain, kept: Math.max(0, keptOf(gain) + 0.1 * random.normal()) };
        }),
      );
    });

  it('stands on runs that keep thinking where it pays', () => {
    const finding = payRule(invented((gain) => (gain > 0.5 ? 0.95 : 0.3)));
    expect(finding.ending).toBe('stands');
    expect(finding.overall[0]).toBeGreaterThan(0.5);
    expect(finding.within[1]).toBeGreaterThan(0);
  });

  it('fails on runs that lose thinking whatever it pays, and where it pays', () => {
    const endings = Array.from(
      { length: 20 },
      () =>
        payRule(
          invented(() => 0.5),
          400,
        ).ending,
    );
    expect(endings.filter((ending) => ending === 'stands').length).toBeLessThanOrEqual(1);
    expect(payRule(invented((gain) => 0.9 - 0.4 * gain)).ending).toBe('fails');
  });

  it('stands in part where thinking pays between starts alone, or within each start alone', () => {
    const runs = (of: (seed: number, gain: number) => { gain: number; kept: number }) =>
      [21, 22, 23, 24, 25].flatMap((seed) => [1, 2, 3, 4].map((gain) => ({ seed, ...of(seed, gain) })));
    const between = payRule(
      runs((seed, gain) => ({ gain: 10 * seed + gain, kept: seed })),
      400,
    );
    expect(between).toMatchObject({ ending: 'partly', within: [0, 0, 0] });
    expect(between.overall[0]).toBeGreaterThan(0.5);
    // Starts keep so different fractions that the order within each shows little over all runs.
    const within = payRule(
      runs((seed, gain) => ({ gain, kept: seed + 0.3 * gain })),
      400,
    );
    expect(within).toMatchObject({ ending: 'partly', within: [1, 1, 1] });
    expect(within.overall[0]).toBeLessThan(0.5);
    expect(within.overall[1]).toBeGreaterThan(0);
  });

  it('stands in part where one start alone makes the order over all runs', () => {
    const firsts = [
      [4, 0],
      [0, 4],
      [8, 8],
    ];
    const runs = firsts.flatMap(([gain, kept], seed) =>
      [0, 1, 2, 3].map((more) => ({ seed, gain: gain + more, kept: kept + more })),
    );
    const { ending, overall, within } = payRule(runs, 400);
    expect([ending, within]).toEqual(['partly', [1, 1, 1]]);
    expect(overall[0]).toBeGreaterThan(0.5);
    expect(overall[1]).toBeLessThan(0);
  });

  it('counts a start whose runs all keep the same as no order', () => {
    const flat = [21, 22].flatMap((seed) => [1, 2, 3].map((gain) => ({ seed, gain, kept: 1 })));
    expect(payRule(flat)).toEqual({ ending: 'fails', overall: [0, 0, 0], within: [0, 0, 0] });
  });

  it('has forty runs, every start at every S and temperature, that differ in nothing else', () => {
    expect(payRuns).toHaveLength(40);
    expect(new Set(payRuns.map(({ id }) => id)).size).toBe(40);
    const others = payRuns.map(({ config: { data, rollout, seed, ...config } }) => {
      return JSON.stringify([config, { ...data, rho: 0 }, { ...rollout, temperature: 0 }, seed % 100]);
    });
    expect(new Set(others).size).toBe(1);
  });
});
