/**
 * The phases of a step against what the cost model predicts from what the adapter does at best: of two layers of the 0.5B
 * shape with a small vocabulary, by LoRA, and of the default run's model, whose weights are all trained.
 */
import { readFileSync } from 'node:fs';
import * as tf from '@tensorflow/tfjs-core';
import type { Engine } from '../src/gpu/engine';
import { parseModelConfig, type ModelConfig } from '../src/model/config';
import {
  countStep,
  secondsOf,
  type Card,
  type StepBatch,
  type StepWork,
} from '../src/model/device/cost-model';
import { halfBillionConfig } from '../src/model/device/half-billion';
import { buildWeights, randomSupply, type TensorSupply } from '../src/model/files/build-weights';
import { attachLora } from '../src/model/lora';
import type { Policy } from '../src/model/policy';
import { createTransformerPolicy } from '../src/model/transformer-policy';
import { presets } from '../src/index';
import { openProbes, type Measured } from './constants';

export const round = (value: number): number => Number(value.toPrecision(4));

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

function pieces(quick: boolean, isSoftware: boolean): Piece[] {
  const preset = presets['swap-shortcut'];
  if (preset.model.kind !== 'embedded')
    throw new Error('The model of the default run is not in the project.');
  const configJson = readFileSync(`public/models/${preset.model.name}/config.json`, 'utf8');
  const lengths = isSoftware
    ? { prompts: 1, samplesPerPrompt: 4, promptTokens: 32, responseTokens: quick ? 5 : 17 }
    : { prompts: 2, samplesPerPrompt: 8, promptTokens: 128, responseTokens: 129 };
  const { promptsPerStep: prompts, samplesPerPrompt } = preset.rollout;
  return [
    {
      model: '0.5B, 2 layers',
      config: { ...parseModelConfig(halfBillionConfig(2)), vocabularySize: 8192 },
      batch: { rank: 16, weights: 'bf16', reference: true, ...lengths },
    },
    {
      model: 'default run',
      config: parseModelConfig(JSON.parse(configJson)),
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

async function timeOnce(run: () => Promise<unknown>): Promise<Measured> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await run();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1000 };
}

/** By each measure for itself. */
function medianOf(times: readonly Measured[]): Measured {
  const middle = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1];
  return { ms: middle(times.map(({ ms }) => ms)), cpuMs: middle(times.map(({ cpuMs }) => cpuMs)) };
}

/** All but the update, a part in a hundred of a step. */
type TimedPhase = Exclude<keyof StepWork, 'update'>;

/** A run for each phase; that of decoding reads the prompts too. */
function runsOf(policy: Policy, batch: StepBatch): Record<TimedPhase, () => Promise<unknown>> {
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
  return {
    prefill: sample(1),
    decode: sample(responseTokens),
    reference: () => policy.logprobs(sequences, lengths, { adapter: 'off' }),
    training: () =>
      policy.backward(sequences, lengths, {
        objective: ({ logprobs }) => ({ logprobs: logprobs.map((row) => row.map(() => 1e-3)) }),
      }),
  };
}

/** Turns of each piece's phases, the large one's of half a minute each on a software adapter. */
const TURNS = { large: 3, small: 9 };

/**
 * Each phase comes after all probes, in turns, so that what else the machine does falls on both alike; medians of both. The
 * first turn compiles and is not counted. Of a software adapter CPU time is compared, of a card wall time.
 *
 * @returns and the card by all turns, in seconds of wall time and of CPU time
 */
export async function checkPhases(
  engine: Engine,
  quick: boolean,
): Promise<{ card: Card; ofCpu: Card; checked: Checked[] }> {
  const { isSoftware } = engine.capabilities!;
  const by = isSoftware ? 'cpuMs' : 'ms';
  const probes = await openProbes(engine);
  const medians = (turns: readonly Measured[][]): Measured[] =>
    probes.runs.map((_, index) => medianOf(turns.map((turn) => turn[index])));
  const allTurns: Measured[][] = [];
  const checked: Checked[] = [];
  for (const piece of pieces(quick, isSoftware)) {
    const policy = await openPolicy(engine, piece);
    const runs = Object.entries(runsOf(policy, piece.batch)) as [TimedPhase, () => Promise<unknown>][];
    const times = new Map(runs.map(([phase]) => [phase, [] as Measured[]]));
    const ofPiece: Measured[][] = [];
    const turns = piece.batch.rank === null ? TURNS.small : TURNS.large;
    for (let turn = 0; turn <= turns; turn++) {
      for (const [phase, run] of runs) {
        const probed: Measured[] = [];
        for (const probe of probes.runs) probed.push(await timeOnce(probe));
        const time = await timeOnce(run);
        if (turn === 0) continue;
        ofPiece.push(probed);
        times.get(phase)!.push(time);
      }
    }
    policy.dispose();
    allTurns.push(...ofPiece);
    const card = probes.card(medians(ofPiece), by);
    const work = countStep(piece.config, piece.batch);
    const secondsTaken = (phase: TimedPhase): number => medianOf(times.get(phase)!)[by] / 1000;
    for (const [phase] of runs) {
      const seconds = secondsTaken(phase) - (phase === 'decode' ? secondsTaken('prefill') : 0);
      const predicted = secondsOf(work[phase], card);
      const figure: Checked = {
        model: piece.model,
        phase,
        seconds: round(seconds),
        predicted: round(predicted),
        ratio: round(seconds / predicted),
      };
      checked.push(figure);
      console.log(JSON.stringify(figure));
    }
  }
  probes.dispose();
  const all = medians(allTurns);
  return { card: probes.card(all, 'ms'), ofCpu: probes.card(all, 'cpuMs'), checked };
}
