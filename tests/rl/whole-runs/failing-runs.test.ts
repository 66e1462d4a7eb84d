/** Runs of an embedded model that are made to fail: each names its failure while it happens. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelFiles } from '../../../scripts/pretrain/model-files';
import { loadPolicy, type Policy } from '../../../src/index';
import type { RunConfig } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import { eventsOf, ofType } from '../runs';
import { sampled } from '../../fixtures/sample';
import { engine, openEngineForAll } from '../../fixtures/engine';

const folder = join(import.meta.dirname, '..', '..', '..', 'public', 'models', 'ladder-25k');
const base = presets['ladder-25k'];
const seldom = { every: 100, items: 4, seed: 7, patience: 0 };

openEngineForAll('wasm');

async function opened(): Promise<Policy> {
  return loadPolicy(engine, { files: await modelFiles(folder) });
}

/** The alerts of a run of `ladder-25k` with these changes, `step code` each. */
async function alertsOf(
  { optimizer, ...changes }: Partial<Omit<RunConfig, 'optimizer'>> & { optimizer: object },
  steps: number,
): Promise<string[]> {
  const policy = await opened();
  const config: RunConfig = {
    ...base,
    evaluation: seldom,
    rollout: { promptsPerStep: 4, samplesPerPrompt: 8, temperature: 1, maxNewTokens: 40 },
    ...changes,
    optimizer: { ...base.optimizer, finalFraction: 1, ...optimizer },
    steps,
  };
  const events = await eventsOf(policy, config);
  policy.dispose();
  expect(ofType(events, 'failed')).toEqual([]);
  return ofType(events, 'alert').map(({ alert }) => `${alert.step} ${alert.code}`);
}

const codesOf = (alerts: readonly string[]): string[] => alerts.map((alert) => alert.split(' ')[1]);

/** Each alert's rule has tests of its own (tests/run/verdict/alerts.test.ts). */
describe('a run of the middle model', () => {
  it('whose learning rate is twenty times too high says once that its answers are cut off, and once that all are alike', async () => {
    const codes = codesOf(await alertsOf({ optimizer: { learningRate: 3e-2 } }, 8));
    expect([...codes].sort()).toEqual(['rl/all-cut-off', 'rl/no-variance']);
  });

  it.skipIf(sampled(true, false))(
    'whose learning rate is seven times too high says that it explores no more',
    async () => {
      const codes = codesOf(await alertsOf({ optimizer: { learningRate: 1e-2 } }, 15));
      expect([...codes].sort()).toEqual(['rl/entropy-floor', 'rl/no-variance']);
    },
  );
});
