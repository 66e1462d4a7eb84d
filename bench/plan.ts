/**
 * The commands of one training pass of the 0.5B shape over 8 sequences of 512 tokens by LoRA, forward and back: how many
 * there are and what it costs to record them. They are recorded and not sent, so the figures hold for any adapter of the
 * same kind.
 */
import * as tf from '@tensorflow/tfjs-core';
import { openEngine } from '../src/gpu/engine';
import { planMicroBatches, tokenBudget } from '../src/model/batch';
import { buildWeights } from '../src/model/files/build-weights';
import { parseModelConfig } from '../src/model/config';
import { attachLora } from '../src/model/lora';
import { createParameterStore } from '../src/model/parameters';
import { backwardPass, forwardBlocks, headStatistics } from '../src/model/training-pass';
import { loraParameters } from '../src/model/trainable';
import { disposeWeights, withoutAdapter } from '../src/model/weights';
import { disposeTables, ropeTables, rotaryFrequencies } from '../src/ops/rope';
import { halfBillionConfig } from '../src/model/device/half-billion';
import { sendNothing, unwritten } from '../tests/fixtures/webgpu/unsent';
import { measureWithCommands, report, round, type Bench } from './measure';

const SEQUENCES = 8;
const LENGTH = 512;
const PROMPT = 128;
const BUCKET = 64;

export async function benchPlan(bench: Bench): Promise<void> {
  const engine = await openEngine({ backend: 'webgpu' });
  const adapter = engine.capabilities!.adapterName;
  sendNothing();
  const config = parseModelConfig(halfBillionConfig());
  const weights = await buildWeights(config, unwritten);
  attachLora(weights, config, { rank: 16, alpha: 32 });
  const parts = loraParameters(weights, config);
  const tables = ropeTables(LENGTH, rotaryFrequencies(config.headDim, config.ropeTheta));
  const sequences = Array.from({ length: SEQUENCES }, (_, row) =>
    Array.from({ length: LENGTH }, (_, t) => (t < PROMPT ? 1 + ((t + row) % 7) : 1 + ((t * row) % 5))),
  );
  const prompts = sequences.map(() => PROMPT);
  const limits = { tokenBudget: tokenBudget(config), bucket: BUCKET, withoutPadding: false };

  const batches = planMicroBatches(sequences, prompts, limits);
  const store = createParameterStore(parts.layers.flat());
  const policy = { config, weights, tables };
  const reference = { config, weights: withoutAdapter(weights), tables };
  const passes = {
    reference: () => {
      for (const batch of batches) {
        const { hidden } = forwardBlocks(reference, batch, false);
        tf.dispose([headStatistics(reference, hidden[0], batch, 1), ...hidden]);
      }
    },
    'there and back': () => {
      for (const batch of batches) {
        const forward = forwardBlocks(policy, batch, true);
        const statistics = headStatistics(policy, forward.hidden[config.layers], batch, 1);
        backwardPass(policy, parts, forward, statistics, 1, (gradients) => store.accumulate(gradients));
      }
    },
  };
  for (const [pass, record] of Object.entries(passes)) {
    record();
    engine.resetPeak();
    const figures = await measureWithCommands(bench, engine, () => {
      record();
      return Promise.resolve();
    });
    report(bench, adapter, {
      op: `record training, ${pass}`,
      by: 'marble',
      model: '0.5B',
      tokens: SEQUENCES * LENGTH,
      ...figures,
      microsecondsPerDispatch: round((1000 * figures.cpuMs) / figures.dispatches),
      peakMegabytes: Math.round(engine.memory().peak / 1e6),
    });
  }
  store.dispose();
  disposeTables(tables);
  disposeWeights(weights);
  engine.dispose();
}
