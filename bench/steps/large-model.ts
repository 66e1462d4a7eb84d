/**
 * A checkpoint of Qwen2.5-0.5B's true shape (bench/make-checkpoint.ts makes a random one): loads it packed in bf16, gives
 * logits, holds every block against the reference implementations on wasm at the same input, samples, and takes one LoRA step.
 */
import * as tf from '@tensorflow/tfjs-core';
import { openEngine, type Engine } from '../../src/gpu/engine';
import { buildWeights, checkpointSupply, type TensorSupply } from '../../src/model/files/build-weights';
import { openWeights, type WeightsReader } from '../../src/model/files/weights-reader';
import { parseModelConfig, type ModelConfig } from '../../src/model/config';
import { toFloat32 } from '../../src/model/files/half-floats';
import { loadPolicy } from '../../src/model/load-policy';
import { openSource, type ModelSource } from '../../src/model/source/source';
import { sequenceBlock } from '../../src/model/transformer';
import type { ExpectedTensor } from '../../src/model/files/tensor-table';
import { disposeWeights, type TransformerWeights } from '../../src/model/weights';
import { linear } from '../../src/ops/linear';
import { rmsNorm } from '../../src/ops/rms-norm';
import {
  disposeTables,
  ropeTables,
  rotaryFrequencies,
  rotationAt,
  type RopeTables,
} from '../../src/ops/rope';
import { ADAMW_STEP } from '../../tests/fixtures/webgpu/lora-policy';
import { report, round, type Bench } from '../measure';

export const LARGE_MODEL = '.cache/random-0.5b';

const PROMPT = 32;

interface Checkpoint {
  config: ModelConfig;
  reader: WeightsReader;
}

async function open(source: ModelSource): Promise<Checkpoint> {
  const files = await openSource(source);
  return { config: parseModelConfig(await files.json('config.json')), reader: await openWeights(files) };
}

/** The weights of one layer alone, as a model of one layer whose vocabulary is one token. */
function layerWeights(
  { config, reader }: Checkpoint,
  layer: number,
  format: 'f32' | 'bf16',
): Promise<TransformerWeights> {
  const all = checkpointSupply(reader, format, false);
  const named = ({ name, shape }: ExpectedTensor): ExpectedTensor => ({
    name: name.replace('model.layers.0.', `model.layers.${layer}.`),
    shape,
  });
  const supply: TensorSupply = {
    matrix: (parts) => {
      if (parts[0].name !== 'model.embed_tokens.weight') return all.matrix(parts.map(named));
      const inputs = parts[0].shape[1];
      const data = tf.keep(tf.zeros<tf.Rank.R2>([1, inputs]));
      return Promise.resolve({ format: 'f32', data, outputs: 1, inputs, trainable: false });
    },
    vector: (parts) => all.vector(parts.map(named)),
  };
  return buildWeights({ ...config, layers: 1, vocabularySize: 1, tiedHead: true }, supply);
}

/** What one backend makes of each layer's given input, and of the last. */
type Layers = (layer: number, input: Float32Array) => Promise<Float32Array>;

function layersOn(checkpoint: Checkpoint, format: 'f32' | 'bf16', tables: RopeTables): Layers {
  const { config } = checkpoint;
  const layout = { batch: 1, length: PROMPT, prompts: null };
  return async (layer, input) => {
    const weights = await layerWeights(checkpoint, layer, format);
    const output = tf.tidy(() => {
      const rotation = rotationAt(
        tables,
        Int32Array.from({ length: PROMPT }, (_, position) => position),
      );
      const x = tf.tensor2d(input, [PROMPT, config.hiddenSize]);
      return sequenceBlock({ config, weights, tables }, 0, x, layout, rotation);
    });
    const values = (await output.data()) as Float32Array;
    output.dispose();
    disposeWeights(weights);
    return values.slice();
  };
}

function apart(actual: Float32Array, expected: Float32Array): { absolute: number; relative: number } {
  let absolute = 0;
  let largest = 0;
  actual.forEach((value, i) => {
    const difference = Math.abs(value - expected[i]);
    if (!(difference <= absolute)) absolute = difference; // NaN is never small
    largest = Math.max(largest, Math.abs(expected[i]));
  });
  return { absolute: round(absolute), relative: round(absolute / largest) };
}

/** A part of the rows of the output head, as f32. */
async function headRows(
  { config, reader }: Checkpoint,
  first: number,
  count: number,
): Promise<Float32Array<ArrayBuffer>> {
  const name = config.tiedHead ? 'model.embed_tokens.weight' : 'lm_head.weight';
  const rowBytes = 2 * config.hiddenSize;
  return toFloat32(await reader.read(name, first * rowBytes, (first + count) * rowBytes), 'BF16');
}

/** Logits of the last position's hidden state by reference implementations, part by part: the whole head does not fit beside a copy. */
async function plainLogits(checkpoint: Checkpoint, hidden: Float32Array): Promise<Float32Array> {
  const { config, reader } = checkpoint;
  const { hiddenSize, vocabularySize } = config;
  const norm = await reader.readFloat32('model.norm.weight');
  const logits = new Float32Array(PROMPT * vocabularySize);
  const part = 16384;
  for (let first = 0; first < vocabularySize; first += part) {
    const outputs = Math.min(part, vocabularySize - first);
    const rows = await headRows(checkpoint, first, outputs);
    const values = tf.tidy(() => {
      const data = tf.tensor2d(rows, [outputs, hiddenSize]);
      const h = rmsNorm(tf.tensor2d(hidden, [PROMPT, hiddenSize]), tf.tensor1d(norm), config.normEpsilon);
      return linear(h, { format: 'f32', data, outputs, inputs: hiddenSize, trainable: false });
    });
    const block = await values.data();
    values.dispose();
    for (let row = 0; row < PROMPT; row++) {
      logits.set(block.subarray(row * outputs, (row + 1) * outputs), row * vocabularySize + first);
    }
  }
  return logits;
}

export async function benchLargeModel(bench: Bench): Promise<void> {
  const source = await bench.place.model(LARGE_MODEL);
  const checkpoint = await open(source);
  const { config } = checkpoint;
  const prompt = Array.from({ length: PROMPT }, (_, position) => (position * 7919) % config.vocabularySize);

  let engine: Engine = await openEngine({ backend: 'webgpu' });
  const adapter = engine.capabilities!.adapterName;
  const say = (op: string, started: number, figures: Record<string, unknown> = {}): void => {
    const megabytes = Object.entries(engine.memory()).map(([owner, bytes]) => [
      owner,
      Math.round(Number(bytes) / 1e6),
    ]);
    const seconds = round((performance.now() - started) / 1000);
    report(bench, adapter, {
      op,
      by: 'marble',
      model: '0.5B',
      seconds,
      ...figures,
      megabytes: Object.fromEntries(megabytes),
    });
  };

  let started = performance.now();
  const policy = await loadPolicy(engine, source, { lora: { rank: 16, alpha: 32 }, weights: 'bf16' });
  await engine.check();
  say('load', started);

  started = performance.now();
  const [logits] = await policy.logits([prompt]);
  say(`logits of ${PROMPT} tokens`, started, { finite: logits.every((value) => Number.isFinite(value)) });

  started = performance.now();
  const sampling = { samplesPerPrompt: 1, maxNewTokens: 16, temperature: 1, seed: 1, stopIds: [] };
  const [completion] = await policy.generate([prompt], sampling);
  say('sample 16 tokens', started, { tokens: completion.tokens });

  started = performance.now();
  const { logprobs } = await policy.backward([[...prompt, ...completion.tokens]], [PROMPT], {
    objective: (tokens) => ({ logprobs: tokens.logprobs.map((row) => row.map(() => -1 / 16)) }),
  });
  const { gradNorm, applied } = await policy.update(ADAMW_STEP);
  const samplerAndTrainer = apart(Float32Array.from(logprobs[0]), completion.logprobs);
  say('one LoRA step', started, { gradNorm, applied, samplerAndTrainer });
  policy.dispose();
  engine.trim();

  // every block by the kernels, each on what the block before it gave, and then by reference implementations on the same inputs
  const rowOf = (id: number): Promise<Float32Array<ArrayBuffer>> => headRows(checkpoint, id, 1);
  const embedded = new Float32Array(PROMPT * config.hiddenSize);
  for (const [position, id] of prompt.entries()) embedded.set(await rowOf(id), position * config.hiddenSize);
  const hidden: Float32Array[] = [embedded];
  const frequencies = rotaryFrequencies(config.headDim, config.ropeTheta);
  let tables = ropeTables(PROMPT, frequencies);
  const fusedLayers = layersOn(checkpoint, 'bf16', tables);
  for (let layer = 0; layer < config.layers; layer++) hidden.push(await fusedLayers(layer, hidden[layer]));
  disposeTables(tables);
  engine.dispose();

  engine = await openEngine({ backend: 'wasm', wasmUrl: bench.place.wasmUrl });
  tables = ropeTables(PROMPT, frequencies);
  const plainLayers = layersOn(checkpoint, 'f32', tables);
  for (let layer = 0; layer < config.layers; layer++) {
    const expected = await plainLayers(layer, hidden[layer]);
    report(bench, adapter, { op: 'block', model: '0.5B', layer, ...apart(hidden[layer + 1], expected) });
  }
  const expected = await plainLogits(checkpoint, hidden[config.layers]);
  report(bench, adapter, { op: 'logits', model: '0.5B', ...apart(logits, expected) });
  disposeTables(tables);
  engine.dispose();
}
