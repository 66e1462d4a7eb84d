/** Runs of an embedded model that are made to fail: each names its failure while it happens. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelFiles } from '../../../scripts/pretrain/model-files';
import { loadPolicy, type Policy } from '../../../src/index';
import { isLoss } from '../../../src/run/verdict/ending';
import { newAlertState, watchEvaluation } from '../../../src/run/verdict/alerts';
import type { RunConfig } from '../../../src/run/config/config';
import { openItems } from '../../../src/rl/data';
import { evaluate } from '../../../src/rl/evaluate/evaluate';
import { fromOutcomeTable } from '../../../src/run/verdict/outcome-table';
import { goldExample, sftUpdate } from '../../../src/rl/supervised/sft';
import { presets } from '../../../src/run/config/presets';
import { LEAST_ITEMS, verdictOf } from '../../../src/run/verdict/verdict';
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

describe('a run of the middle model', () => {
  // the sample is the one that is over first; each alert's rule has tests of its own (tests/run/verdict/alerts.test.ts)
  if (sampled(false, true)) {
    it('that learns answers alone warns early; it had too little reasoning to lose for more', async () => {
      const alerts = await alertsOf(
        {
          method: 'sft-answers',
          optimizer: { learningRate: 1.2e-3 },
          evaluation: { every: 1, items: 24, seed: 7, patience: 0 },
        },
        9,
      );
      expect(codesOf(alerts)).toEqual(['rl/early-warning']);
    });

    it('whose learning rate keeps rising names the jump of its divergence', async () => {
      const alerts = await alertsOf({ optimizer: { learningRate: 1e-2, warmupSteps: 30 } }, 13);
      expect(codesOf(alerts)).toEqual(['rl/kl-spike']);
    });

    it('whose learning rate is seven times too high names the jump of its gradient', async () => {
      const alerts = await alertsOf({ optimizer: { learningRate: 1e-2 } }, 15);
      expect(codesOf(alerts)).toContain('rl/grad-norm-spike');
    });
  }

  it('whose learning rate is twenty times too high says that it explores no more, once', async () => {
    const codes = codesOf(await alertsOf({ optimizer: { learningRate: 3e-2 } }, 8));
    expect([...codes].sort()).toEqual(['rl/all-cut-off', 'rl/entropy-floor', 'rl/no-variance']);
  });
});

describe('a model that only got shorter, with true traces', () => {
  it.skipIf(sampled(true, false))('is no loss', async () => {
    const policy = await opened();
    // As many questions of belief as a length needs to be judged by.
    const data = { ...base.data, orders: [1, 2, 3] };
    const source = openItems({ ...base, data, evaluation: { ...seldom, items: LEAST_ITEMS } });
    const start = await evaluate(policy, source.suite);
    for (let step = 0; step < 60; step++) {
      const examples = source.training(32 * step, 32).map((item) => goldExample(policy, item, 'short'));
      await sftUpdate(policy, examples, { ...base.optimizer, learningRate: 3e-3 });
    }
    const now = await evaluate(policy, source.suite, { step: 60 });
    policy.dispose();
    const [before, after] = [start, now].map(({ outcomes }) => fromOutcomeTable(outcomes!));
    const judged = verdictOf(before, after, { step: 60, provisional: false });
    expect(judged.conditions.silent).toBe(true);
    expect(now.traceValidity).toBeGreaterThan(start.traceValidity);
    expect(isLoss(judged.ending)).toBe(false);
    expect(watchEvaluation(start, now, judged, judged.ending, newAlertState()).alerts).toEqual([]);
  });
});
