import { describe, expect, it } from 'vitest';
import type { RunConfig } from '../../src/rl/config';
import { openItems } from '../../src/rl/data';
import { evaluate } from '../../src/rl/evaluate';
import { suiteRows } from '../../src/reward/suites';
import type { Item } from '../../src/tom/item';
import type { SwapWorld } from '../../src/tom/swap-world';
import { smallConfig, warmTable } from './runs';

const base = smallConfig();
const swap = (changes: Partial<RunConfig['data']> = {}): RunConfig => ({
  ...base,
  data: { source: 'swap', orders: [1, 2, 3], dropShortcutRight: 0, reentry: false, rho: 0.81, ...changes },
  evaluation: { ...base.evaluation, items: 200 },
});
const swapsIn = ({ story }: Item): number => story.split(' swap ').length - 1;
describe('what a run on swap stories is evaluated on besides', () => {
  it('are the other orders, returns, longer stories and the world at large', () => {
    const { heldOut, items } = openItems(swap()).suite;
    expect(Object.keys(heldOut)).toEqual(['order 0', 'order 4', 're-entry', 'longer stories', 'other world']);
    expect(Object.values(heldOut).map((set) => set.length)).toEqual([50, 50, 50, 50, 50]);
    expect([...new Set(items.map(swapsIn))]).toEqual([6]);
    expect([...new Set(heldOut['longer stories'].map(swapsIn))]).toEqual([9]);
    expect([...new Set(heldOut['other world'].map(swapsIn))]).toEqual([6]);
    for (const name of ['longer stories', 'other world']) {
      expect(heldOut[name].every(({ kind, order }) => kind === name && order >= 1 && order <= 3)).toBe(true);
    }
  });

  it('has stories whose object keeps moving in the world at large', () => {
    const { heldOut, items } = openItems({
      ...swap(),
      evaluation: { ...base.evaluation, items: 1200 },
    }).suite;
    const isStill = ({ world }: Item): boolean => {
      const { lines, start } = world as SwapWorld;
      const swaps = lines.flatMap((line) => (line.act === 'swap' ? [line.places] : []));
      const first = swaps[0].includes(start) ? swaps[0].find((place) => place !== start)! : start;
      return swaps.slice(1).every((places) => !places.includes(first));
    };
    const share = (set: readonly Item[]): number => set.filter(isStill).length / set.length;
    expect(share(items)).toBeGreaterThan(0.75);
    expect(share(heldOut['other world'])).toBeLessThan(0.3);
  });

  it.each([
    [{ rho: 0.2 }, false, 9],
    [{ rho: 0.1 }, false, 9],
    [{ events: 3 }, true, 5],
    [{ events: 9 }, true, 12],
    [{ events: 12 }, true, null],
  ])('with %o', (dials, hasOtherWorld, longer) => {
    const { heldOut } = openItems(swap(dials)).suite;
    expect('other world' in heldOut).toBe(hasOtherWorld);
    expect(longer === null ? null : swapsIn(heldOut['longer stories'][0])).toBe(longer);
    expect('longer stories' in heldOut).toBe(longer !== null);
  });

  it('has rows of its own, counts towards no order and is out of distribution', () => {
    const { suite } = openItems(swap());
    const all = [...suite.items, ...Object.values(suite.heldOut).flat()];
    const rows = suiteRows(
      all.map((item) => ({ item, answer: item.answer })),
      suite.isTrained,
    );
    expect(rows.map(({ part, inDistribution }) => [part, inDistribution])).toEqual([
      ['all', false],
      ['longer stories', false],
      ['order 0', false],
      ['order 1', true],
      ['order 2', true],
      ['order 3', true],
      ['order 4', false],
      ['other world', false],
      ['re-entry', false],
    ]);
    const inOrders = rows.filter(({ part }) => /^order [123]$/.test(part));
    expect(inOrders.reduce((sum, { accuracy }) => sum + accuracy.count, 0)).toBe(200);
  });

  it('is left out of the accuracies by order', async () => {
    const { suite } = openItems(base);
    const apart = suite.items.map((item) => ({ ...item, kind: 'longer stories' }));
    const policy = await warmTable();
    const report = await evaluate(policy, { ...suite, heldOut: { 'longer stories': apart } });
    expect(report.heldOut['longer stories']).toEqual(report.overall);
    expect(report.byOrder).toEqual((await evaluate(policy, { ...suite, heldOut: {} })).byOrder);
  });
});
