/**
 * The commands of one training pass of the 0.5B shape over 8 sequences of 512 tokens by LoRA, forward and back: how many
 * there are and what it costs to record them, with the projections of one input as one product and each by itself. They
 * are recorded and not sent, so the figures hold for any adapter of the same kind.
 */
import * as tf from '@tensorflow/tfjs-core';
import { openEngine } from '../../src/gpu/engine';
import { planMicroBatches, tokenBudget } from '../../src/model/batch';
import { buildWeights } from '../../src/model/build-weights';
import { parseModelConfig } from '../../src/model/config';
import { joinLayers } from '../../src/model/joint-layers';
import { attachLora } from '../../src/model/lora';
import { createParameterStore } from '../../src/model/parameters';
import {
  backwardPass,
  forwardBlocks,
  responseStatistics,
  type PassModel,
} from '../../src/model/training-pass';
import { disposeWeights, loraParameters } from '../../src/model/weights';
import { disposeTables, ropeTables, rotaryFrequencies } from '../../src/ops/rope';
import { halfBillionConfig } from '../fixtures/half-billion';
import { sendNothing, unwritten } from '../fixtures/unsent';
import { measureWithCommands, ratios, report, round, type Bench, type Figures } from './measure';

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
  const parts = loraParameters(weights);
  const tables = ropeTables(LENGTH, rotaryFrequencies(config.headDim, config.ropeTheta));
  const sequences = Array.from({ length: SEQUENCES }, (_, row) =>
    Array.from({ length: LENGTH }, (_, t) => (t < PROMPT ? 1 + ((t + row) % 7) : 1 + ((t * row) % 5))),
  );
  const prompts = sequences.map(() => PROMPT);
  const limits = { tokenBudget: tokenBudget(config), bucket: BUCKET };

  const batches = planMicroBatches(sequences, prompts, limits);
  const recorded = new Map<string, Figures>();
  for (const by of ['joint products', 'separate products']) {
    const store = createParameterStore(parts.layers.flat());
    const over = (adapted: boolean, pass: (model: PassModel) => void): void => {
      const joint = by === 'joint products' ? joinLayers(weights.layers, adapted) : null;
      pass({ config, weights, tables, adapter: adapted, joint });
      joint?.dispose();
    };
    const passes = {
      reference: () =>
        over(false, (model) => {
          for (const batch of batches) {
            const { hidden } = forwardBlocks(model, batch, false);
            tf.dispose([responseStatistics(model, hidden[0], batch, 1), ...hidden]);
          }
        }),
      'there and back': () =>
        over(true, (model) => {
          for (const batch of batches) {
            const forward = forwardBlocks(model, batch, true);
            const statistics = responseStatistics(model, forward.hidden[config.layers], batch, 1);
            backwardPass(model, parts, forward, statistics, 1, (gradients) => store.accumulate(gradients));
          }
        }),
    };
    for (const [pass, record] of Object.entries(passes)) {
      const op = `record training, ${pass}`;
      record();
      engine.resetPeak();
      const run = (): Promise<void> => {
        record();
        return Promise.resolve();
      };
      const figures = await measureWithCommands(bench, engine, run);
      const { cpuMs, dispatches } = figures;
      report(bench, adapter, {
        op,
        by,
        model: '0.5B',
        tokens: SEQUENCES * LENGTH,
        ...figures,
        microsecondsPerDispatch: round((1000 * cpuMs) / dispatches),
        peakMegabytes: Math.round(engine.memory().peak / 1e6),
      });
      const joint = recorded.get(pass);
      if (joint) {
        report(bench, adapter, { op, by: 'joint / separate', model: '0.5B', ...ratios(joint, figures) });
      }
      recorded.set(pass, figures);
    }
    store.dispose();
    engine.trim();
  }
  disposeTables(tables);
  disposeWeights(weights);
  engine.dispose();
}
