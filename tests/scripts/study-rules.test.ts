/** `study-results.test.ts` covers the rules on the data of the studies. */
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/base/random';
import { readLines } from '../../scripts/study/lines';
import { payRule, permutationP, rankCorrelation, sizeRule } from '../../scripts/study/rules';

const starts = (...kept: (number | null)[]): { kept: number | null }[] =>
  kept.map((value) => ({ kept: value }));

describe('the rules of the second study', () => {
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

  it('counts a start whose runs all keep the same as no order', () => {
    const flat = [21, 22].flatMap((seed) => [1, 2, 3].map((gain) => ({ seed, gain, kept: 1 })));
    expect(payRule(flat)).toEqual({ ending: 'fails', overall: [0, 0, 0], within: [0, 0, 0] });
  });

  it('has forty runs, every start at every S and temperature, that differ in nothing else', () => {
    const runs = readLines('3a');
    expect(runs).toHaveLength(40);
    expect(new Set(runs.map(({ id }) => id)).size).toBe(40);
    const others = runs.map(({ config: { data, rollout, seed, ...config } }) => {
      return JSON.stringify([config, { ...data, rho: 0 }, { ...rollout, temperature: 0 }, seed % 100]);
    });
    expect(new Set(others).size).toBe(1);
  });
});
