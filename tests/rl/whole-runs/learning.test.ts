/** A task with a known best policy: every algorithm learns it, from three seeds (in the quick run, from one). */
import { describe, expect, it } from 'vitest';
import { algorithms, type AlgorithmName } from '../../../src/objective/algorithm';
import { bandit, eventsOf, ofType, recordsOf, smallConfig, warmTable } from '../runs';
import { sampled } from '../../fixtures/sample';
import { measuredAccuracy } from '../../../src/reward/accuracy';

describe.each(Object.keys(algorithms) as AlgorithmName[])('%s', (name) => {
  it.each(sampled([1], [1, 2, 3]))('learns a bandit to 95 percent of its best, seed %i', async (seed) => {
    const config = smallConfig({
      seed,
      steps: 40,
      data: { ...smallConfig().data, source: 'imported:bandit' },
      algorithm: algorithms[name],
      rollout: { promptsPerStep: 4, samplesPerPrompt: 8, temperature: 1, maxNewTokens: 24 },
      optimizer: { ...smallConfig().optimizer, learningRate: 0.3 },
      evaluation: { every: 100, items: 20, hardItems: 0, seed: 7 },
    });
    const events = await eventsOf(await warmTable(), config, { imported: { training: bandit } });
    expect(recordsOf(events)[0].accuracy).toBeLessThan(0.5);
    // Training batches are not used, because those of DAPO leave out groups that are all right.
    const { sampled: drawn, overall } = ofType(events, 'eval').at(-1)!.report;
    expect(measuredAccuracy(drawn!.factual)).toBeGreaterThanOrEqual(0.95);
    expect(measuredAccuracy(overall)).toBe(1);
  });
});
