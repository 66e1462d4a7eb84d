/**
 * The phases of a step against what the cost model predicts from what the adapter does at best: of two layers of the 0.5B
 * shape with a small vocabulary, by LoRA, and of the default run's model, whose weights are all trained.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Engine } from '../../src/gpu/engine';
import { parseModelConfig, type ModelConfig } from '../../src/model/config';
import {
  countStep,
  secondsOf,
  type Card,
  type StepBatch,
  type StepWork,
} from '../../src/model/device/cost-model';
import { halfBillionConfig } from '../../src/model/device/half-billion';
import { buildWeights, randomSupply, type TensorSupply } from '../../src/model/files/build-weights';
import { attachLora } from '../../src/model/lora';
import type { Policy } from '../../src/model/policy';
import { createTransformerPolicy } from '../../src/model/transformer-policy';
import { openSource } from '../../src/model/source/source';
import { presets } from '../../src/index';
import { measure, report, round, type Bench, type Measured } from './measure';

export interface Checked {
  model: string;
  phase: TimedPhase;
  seconds: number;
  predicted: number;
  /** What was measured, in predictions. */
  ratio: number;
}

/** Weights in bf16, all alike: a product takes as long whatever they are. */
const alike: TensorSupply = {
  matrix: (parts) => {
    const outputs = parts.reduce((sum, { shape }) => sum + shape[0], 0);
    const inputs = parts[0].shape[1];
    const data = tf.keep(tf.fill<tf.Rank.R1>([(outputs * inputs) / 2], 0x3c003c00, 'int32'));
    return Promise.resolve({ format: 'bf16', data, outputs, inputs });
  },
  vector: (parts) =>
    Promise.resolve(tf.keep(tf.ones<tf.Rank.R1>([parts.reduce((sum, { shape }) => sum + shape[0], 0)]))),
};

interface Piece {
  model: string;
  config: ModelConfig;
  batch: StepBatch;
}

async function pieces(bench: Bench, isSoftware: boolean): Promise<Piece[]> {
  const preset = presets['swap-shortcut'];
  if (preset.model.kind !== 'embedded')
    throw new Error('The model of the default run is not in the project.');
  const files = await openSource(await bench.place.model(`public/models/${preset.model.name}`));
  const lengths = isSoftware
    ? { prompts: 1, samplesPerPrompt: 4, promptTokens: 32, responseTokens: bench.quick ? 5 : 17 }
    : { prompts: 2, samplesPerPrompt: 8, promptTokens: 128, responseTokens: 129 };
  const { promptsPerStep, samplesPerPrompt } = preset.rollout;
  const prompts = bench.quick ? promptsPerStep / 4 : promptsPerStep;
  return [
    {
      model: '0.5B, 2 layers',
      config: { ...parseModelConfig(halfBillionConfig(2)), vocabularySize: 8192 },
      batch: { rank: 16, weights: 'bf16', reference: true, ...lengths },
    },
    {
      model: 'default run',
      config: parseModelConfig(await files.json('config.json')),
      batch: {
        ...{ rank: null, weights: 'f32', reference: true, prompts, samplesPerPrompt },
        ...{ promptTokens: 48, responseTokens: 33 },
      },
    },
  ];
}

async function openPolicy(engine: Engine, { config, batch: { rank } }: Piece): Promise<Policy> {
  const weights = await buildWeights(config, rank === null ? randomSupply(1, 0.02) : alike);
  const adapter = rank === null ? null : { rank, alpha: 2 * rank, useRslora: false, baseModel: null };
  if (adapter) attachLora(weights, config, adapter);
  return createTransformerPolicy({ engine, config, weights, tokenizer: null, adapter, configJson: {} });
}

/** All but the update, a part in a hundred of a step. */
type TimedPhase = Exclude<keyof StepWork, 'update'>;

/** One run of each phase of a step. */
async function timePhases(
  bench: Bench,
  policy: Policy,
  batch: StepBatch,
): Promise<Record<TimedPhase, Measured>> {
  const { prompts: count, samplesPerPrompt, promptTokens, responseTokens } = batch;
  const tokens = (length: number, row: number): number[] =>
    Array.from({ length }, (_, i) => 1 + ((i + row) % 11));
  const prompts = Array.from({ length: count }, (_, row) => tokens(promptTokens, row));
  const sequences = prompts.flatMap((prompt) =>
    Array.from({ length: samplesPerPrompt }, (_, row) => [...prompt, ...tokens(responseTokens, row)]),
  );
  const lengths = sequences.map(() => promptTokens);
  const sample = (maxNewTokens: number) => (): Promise<unknown> =>
    policy.generate(prompts, { samplesPerPrompt, maxNewTokens, temperature: 1, seed: 1, stopIds: [] });
  const prefill = await measure(bench, sample(1));
  const both = await measure(bench, sample(responseTokens));
  const decode = (key: keyof Measured): number =>
    ((both[key] - prefill[key]) * responseTokens) / (responseTokens - 1);
  const backward = (): Promise<unknown> =>
    policy.backward(sequences, lengths, {
      objective: ({ logprobs }) => ({ logprobs: logprobs.map((row) => row.map(() => 1e-3)) }),
    });
  return {
    prefill,
    decode: { ms: decode('ms'), cpuMs: decode('cpuMs') },
    reference: await measure(bench, () => policy.logprobs(sequences, lengths, { adapter: 'off' })),
    training: await measure(bench, backward),
  };
}

/**
 * @param largeProducts FLOP/s of a product of the large piece's own shape and format, whose weights no cache holds
 * @param card what the adapter does in a second, of a software adapter in a second of CPU time: other work on the machine
 *   then leaves the comparison as it is
 */
export async function checkPhases(
  bench: Bench,
  engine: Engine,
  adapter: string,
  card: Card,
  largeProducts: number,
): Promise<Checked[]> {
  const { isSoftware } = engine.capabilities!;
  const checked: Checked[] = [];
  for (const piece of await pieces(bench, isSoftware)) {
    const policy = await openPolicy(engine, piece);
    const work = countStep(piece.config, piece.batch);
    const times = await timePhases(bench, policy, piece.batch);
    policy.dispose();
    for (const phase of Object.keys(times) as TimedPhase[]) {
      const seconds = times[phase][isSoftware ? 'cpuMs' : 'ms'] / 1000;
      const flopsPerSecond = piece.batch.rank === null ? card.flopsPerSecond : largeProducts;
      const predicted = secondsOf(work[phase], { ...card, flopsPerSecond });
      const figure: Checked = {
        model: piece.model,
        phase,
        seconds: round(seconds),
        predicted: round(predicted),
        ratio: round(seconds / predicted),
      };
      checked.push(figure);
      report({ ...bench, figures: undefined }, adapter, {
        op: 'phase',
        by: 'marble',
        ...figure,
        ...work[phase],
      });
    }
  }
  return checked;
}
