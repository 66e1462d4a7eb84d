/**
 * A decoding step and a training pass of all layers with the projections of one input as one product (and an adapter's
 * part in its dispatch), against each projection by itself, in one run. Norms and attention are the same kernels in both.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Engine } from '../../src/gpu/engine';
import { planMicroBatches, tokenBudget } from '../../src/model/batch';
import { buildWeights, randomSupply } from '../../src/model/build-weights';
import { joinLayers } from '../../src/model/joint-layers';
import { attachLora } from '../../src/model/lora';
import { createParameterStore } from '../../src/model/parameters';
import { backwardPass, forwardBlocks, responseStatistics } from '../../src/model/training-pass';
import { decodeBlockFused } from '../../src/model/transformer';
import {
  disposeWeights,
  fullParameters,
  loraParameters,
  type LayerWeights,
  type Projection,
  type TransformerWeights,
} from '../../src/model/weights';
import {
  attendNewToken,
  createKeyValueCache,
  disposeKeyValueCache,
  type FusedKeyValueCache,
} from '../../src/ops/decode-attention';
import { linear } from '../../src/ops/linear';
import { rmsNorm } from '../../src/ops/rms-norm';
import { disposeTables, ropeTables, rotaryFrequencies, type RopeTables } from '../../src/ops/rope';
import { swiglu } from '../../src/ops/swiglu';
import { measureWithCommands, ratios, report, round, type Bench, type Figures } from './measure';
import { LENGTH, PROMPT, SEQUENCES, SMALL, tokensOf } from './steps';

const PREFIX = 64;
/** More than all steps that are timed and counted. */
const CAPACITY = 16;
const RANK = 16;

function project(x: tf.Tensor2D, { weight, bias, lora }: Projection, residual?: tf.Tensor2D): tf.Tensor2D {
  const base = linear(x, weight, { bias: bias ?? undefined, residual });
  return lora ? linear(linear(x, lora.a), lora.b, { scale: lora.scale, residual: base }) : base;
}

function separateBlock(
  x: tf.Tensor2D,
  layer: LayerWeights,
  cache: FusedKeyValueCache,
  tables: RopeTables,
): tf.Tensor2D {
  const h = rmsNorm(x, layer.inputNorm, SMALL.normEpsilon);
  const qkv = tf.concat(
    [layer.q, layer.k, layer.v].map((projection) => project(h, projection)),
    1,
  );
  const y = project(attendNewToken(qkv, cache, tables, null), layer.o, x);
  const g = rmsNorm(y, layer.postNorm, SMALL.normEpsilon);
  return project(swiglu(project(g, layer.gate), project(g, layer.up)), layer.down, y);
}

/** Prints both figures and their ratio. */
async function compare(
  bench: Bench,
  adapterName: string,
  what: Record<string, unknown>,
  run: (joint: boolean) => Promise<Figures>,
): Promise<void> {
  const line = (by: string, figure: object): void =>
    report(bench, adapterName, { ...what, model: 'd128 4 layers', by, ...figure });
  const [together, apart] = [await run(true), await run(false)];
  for (const [by, figures] of [
    ['joint products', together],
    ['separate products', apart],
  ] as const) {
    const perLayer = round(figures.dispatches / SMALL.layers);
    line(by, {
      ...figures,
      dispatchesPerLayer: perLayer,
      gbPerSecond: round(figures.boundMegabytes / figures.ms),
    });
  }
  line('joint / separate', ratios(together, apart));
}

export async function benchJointProducts(bench: Bench, engine: Engine, adapterName: string): Promise<void> {
  const tables = ropeTables(
    Math.max(LENGTH, PREFIX + CAPACITY),
    rotaryFrequencies(SMALL.headDim, SMALL.ropeTheta),
  );
  for (const rank of [null, RANK]) {
    const weights = await buildWeights(SMALL, randomSupply(1, 0.05));
    if (rank !== null) attachLora(weights, SMALL, { rank, alpha: 2 * rank });
    for (const rows of bench.quick ? [1, 64] : [1, 16, 64]) {
      await compare(bench, adapterName, { op: 'decode step', rows, rank }, (joint) =>
        decodeStep(bench, engine, weights, tables, rows, joint),
      );
    }
    const tokens = SEQUENCES * LENGTH;
    await compare(bench, adapterName, { op: 'forward and back', tokens, rank }, (joint) =>
      trainingPass(bench, engine, weights, tables, rank !== null, joint),
    );
    disposeWeights(weights);
  }
  disposeTables(tables);
}

async function decodeStep(
  bench: Bench,
  engine: Engine,
  { layers }: TransformerWeights,
  tables: RopeTables,
  rows: number,
  together: boolean,
): Promise<Figures> {
  const joint = together ? joinLayers(layers, true) : null;
  const x = tf.ones<tf.Rank.R2>([rows, SMALL.hiddenSize]);
  const caches = layers.map(() => {
    const shape: [number, number, number, number] = [1, PREFIX, SMALL.kvHeads, SMALL.headDim];
    const prefix = { k: tf.ones<tf.Rank.R4>(shape), v: tf.ones<tf.Rank.R4>(shape) };
    const cache = createKeyValueCache(prefix, [PREFIX], new Array<number>(rows).fill(0), CAPACITY);
    if (cache.kind !== 'fused') throw new Error('The fused cache was asked for.');
    return cache;
  });
  const figures = await measureWithCommands(bench, engine, async () => {
    tf.tidy(() => {
      caches.reduce(
        (input, cache, layer) =>
          joint
            ? decodeBlockFused(input, layers[layer], joint.layers[layer], cache, { config: SMALL, tables })
            : separateBlock(input, layers[layer], cache, tables),
        x,
      );
    });
    await engine.check();
  });
  caches.forEach(disposeKeyValueCache);
  joint?.dispose();
  x.dispose();
  return figures;
}

async function trainingPass(
  bench: Bench,
  engine: Engine,
  weights: TransformerWeights,
  tables: RopeTables,
  adapter: boolean,
  together: boolean,
): Promise<Figures> {
  const parts = adapter ? loraParameters(weights) : fullParameters(weights);
  const store = createParameterStore([...parts.embedding, ...parts.layers.flat(), ...parts.head]);
  const sequences = Array.from({ length: SEQUENCES }, (_, row) => tokensOf(row));
  const prompts = sequences.map(() => PROMPT);
  const [batch] = planMicroBatches(sequences, prompts, { tokenBudget: tokenBudget(SMALL), bucket: 16 });
  const pass = async (): Promise<void> => {
    const joint = together ? joinLayers(weights.layers, adapter) : null;
    const model = { config: SMALL, weights, tables, adapter, joint };
    const forward = forwardBlocks(model, batch, true);
    const statistics = responseStatistics(model, forward.hidden[SMALL.layers], batch, 1);
    backwardPass(model, parts, forward, statistics, 1, (gradients) => store.accumulate(gradients));
    joint?.dispose();
    await engine.check();
  };
  await pass(); // those after it add to its gradients
  const figures = await measureWithCommands(bench, engine, pass);
  store.dispose();
  return figures;
}
