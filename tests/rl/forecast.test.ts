import { describe, expect, it } from 'vitest';
import { algorithms } from '../../src/run/algorithm';
import { openItems } from '../../src/rl/data';
import type { Forecast } from '../../src/run/evaluation';
import { forecastCollapse } from '../../src/rl/forecast';
import { cameTrue, collapseProbability, forecastOf, forecastsLoss } from '../../src/run/forecast-model';
import { tableTokenizer } from './table-policy';
import { smallConfig, warmTable } from './runs';

const config = smallConfig();

describe('the forecast', () => {
  it('samples rewards after an empty think block and after a full trace that the policy goes on with', async () => {
    const { suite } = openItems(config);
    const asked: { forced: string; temperature: number; stream: number }[] = [];
    const policy = await warmTable();
    const watched: typeof policy = {
      ...policy,
      generate: (prompts, options) => {
        const { temperature, stream = 0 } = options;
        asked.push(
          ...prompts.map((ids) => ({ forced: tableTokenizer.decode(ids.slice(-1)), temperature, stream })),
        );
        return policy.generate(prompts, options);
      },
    };
    const forecast = (await forecastCollapse(watched, suite, config))!;
    expect(asked.map(({ forced }) => forced)).toEqual([
      ...Array<string>(12).fill('</think>'),
      ...Array<string>(12).fill('start'),
    ]);
    expect(new Set(asked.map(({ temperature }) => temperature))).toEqual(new Set([1]));
    expect(asked[0].stream).not.toBe(asked[12].stream);
    expect(forecast.count).toBe(12);
    expect(forecast.difference.value).toBeCloseTo(forecast.empty - forecast.full, 12);
    expect(forecast.difference.low).toBeLessThan(forecast.difference.value);
    expect(forecast).toEqual(await forecastCollapse(policy, suite, config));
  });

  it('pays what the run pays, its terms on length included', async () => {
    const { suite } = openItems(config);
    const policy = await warmTable();
    const plain = (await forecastCollapse(policy, suite, config))!;
    const algorithm = { ...algorithms['reinforce++'], lengthPenalty: 5 };
    const penalised = (await forecastCollapse(policy, suite, { ...config, algorithm }))!;
    expect(penalised.empty).toBeLessThan(plain.empty);
    expect(penalised.full).toBeLessThan(plain.full);
  });

  it('gives a probability for the reward that it was fitted on, and for no other', async () => {
    const { suite } = openItems(config);
    const policy = await warmTable();
    const of = async (preset: 'logic-rl' | 'faithful'): Promise<Forecast> =>
      (await forecastCollapse(policy, { ...suite, reward: { preset } }, config))!;
    const fitted = await of('logic-rl');
    expect(fitted.probability).toBe(collapseProbability(fitted.difference.value));
    expect((await of('faithful')).probability).toBe(null);
  });

  it('is not made for items without gold traces', async () => {
    const { suite } = openItems(config);
    const bare = { ...suite, items: suite.items.map((item) => ({ ...item, traces: undefined })) };
    expect(await forecastCollapse(await warmTable(), bare, config)).toBe(null);
  });
});

describe('what a forecast says', () => {
  const forecast = (value: number, probability: number | null = null): Forecast => ({
    count: 1000,
    empty: 1 + value,
    full: 1,
    difference: { value, low: value - 0.1, high: value + 0.1 },
    probability,
  });

  it('is a probability by the coefficients that were registered', () => {
    // The registered formula: 1 / (1 + exp(-(1.512 - 1.081 d))), d = full - empty.
    expect(collapseProbability(0.5)).toBeCloseTo(1 / (1 + Math.exp(-(1.512 + 1.081 * 0.5))), 12);
    expect(collapseProbability(0.5, { intercept: -1, slope: 2 })).toBe(0.5);
    expect(collapseProbability(3, { intercept: 0, slope: 2 })).toBeGreaterThan(0.99);
  });

  it('follows the mode that earns more, and nothing where the two cannot be told apart', () => {
    expect([0.3, -0.3, 0.05].map((value) => forecastsLoss(forecast(value)))).toEqual([true, false, null]);
    expect([0.7, 0.2].map((probability) => forecastsLoss(forecast(0.05, probability)))).toEqual([
      true,
      false,
    ]);
  });

  it('comes true or not by how the run ended', () => {
    expect(cameTrue(forecast(0.3), 'collapsed')).toBe(true);
    expect(cameTrue(forecast(0.3), 'decorated')).toBe(true);
    expect(cameTrue(forecast(0.3), 'reasons better')).toBe(false);
    expect(cameTrue(forecast(-0.3), 'collapsed')).toBe(false);
    expect(cameTrue(forecast(-0.3), 'undetermined')).toBe(null);
    expect(cameTrue(forecast(0), 'collapsed')).toBe(null);
  });

  it('is not read from runs of the older rule', () => {
    const older = { collapseExpected: true } as unknown as Forecast;
    expect(forecastOf([{ forecast: older }])).toBe(null);
    expect(forecastOf([{ forecast: forecast(0.3) }, {}])).toEqual(forecast(0.3));
    expect(forecastOf([])).toBe(null);
  });
});
