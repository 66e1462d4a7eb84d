/**
 * Supervised training on gold completions, from random weights to a reasoner.
 *
 * The warm start: a model that can already answer without reasoning, then a little reasoning on top. Gold completions
 * of three verbosities are learnt in two stages; the second ends as soon as sampled completions are good enough,
 * because the weakness that is left is what reinforcement learning is then seen to exploit.
 *
 * Pretraining: one stage of a fixed number of steps, with warm-up and decay of the learning rate. Models of different
 * sizes that are given one seed see the same examples in the same order, and so the same tokens.
 *
 * Each stage draws every example's verbosity by the stage's fractions. Left out: several epochs (items are endless).
 */
import { MarbleError } from '../../base/error';
import type { AdamWOptions, PassProgress, Policy } from '../../model/policy';
import { createRandom } from '../../base/random';
import type { RewardConfig } from '../../reward/types';
import { generateDataset } from '../../tom/worlds/generate';
import type { DataSpec, Verbosity } from '../../tom/item';
import type { StepRecord } from '../../run/record/events';
import { learningRateAt, type RateSchedule } from '../schedule';
import { sampleItems } from '../rollout';
import { goldExample, sftUpdate } from './sft';
import { mean } from '../../base/statistics';

export interface WarmStartStage {
  /** Shares of the verbosities; they need not add up to 1. */
  mix: Record<Verbosity, number>;
  /** Steps of the stage; of a stage with a goal, the most. */
  steps: number;
  /** Ends the stage early once sampled completions reach it. */
  goal?: WarmStartGoal;
}

export interface WarmStartGoal {
  /** Of sampled completions at temperature 1, 0 to 1. */
  accuracy: number;
  format: number;
  /** Looked at after this many steps, and then every so many. */
  after: number;
  every: number;
  /** Items sampled at each look. */
  items: number;
}

export interface WarmStartConfig {
  seed: number;
  data: DataSpec;
  /** Examples per step. */
  batch: number;
  /** Of them, those that run together; all where left out. */
  atOnce?: number;
  maxNewTokens: number;
  /** The rate is the peak where there is a schedule. */
  adamw: AdamWOptions;
  /** Of the learning rate, over the steps of all stages; constant where left out. */
  schedule?: RateSchedule;
  stages: WarmStartStage[];
}

export interface WarmStartReport {
  steps: number;
  /** Prompt and completion tokens trained on. */
  tokens: number;
  /** At the last look. */
  accuracy: number;
  format: number;
  meanLength: number;
  /** Whether every stage with a goal reached it. */
  reached: boolean;
}

const MIX_STREAM = 0x6d6978;
/** Items of a look stand apart from those trained on and those evaluated. */
const LOOK_OFFSET = 3 * 2 ** 30;
const reward: RewardConfig = { preset: 'logic-rl' };

/**
 * The recipe of the embedded models (docs/algorithms.md): 0.4 M tokens from random weights to a weak reasoner.
 *
 * @param accuracy sampled accuracy that ends it; 0.9 makes a competent reasoner, for contrast
 */
export function warmStartRecipe(model: 'micro' | 'nano', seed: number, accuracy = 0.45): WarmStartConfig {
  return {
    seed,
    data: { source: 'nano', orders: [0, 1, 2, 3], dropShortcutRight: 0, reentry: false },
    batch: 32,
    maxNewTokens: 80,
    adamw: {
      learningRate: model === 'micro' ? 5e-3 : 3e-3,
      beta1: 0.9,
      beta2: 0.95,
      epsilon: 1e-8,
      weightDecay: 0,
      maxGradNorm: 1,
    },
    stages: [
      { mix: { full: 10, short: 10, direct: 80 }, steps: model === 'micro' ? 200 : 140 },
      {
        mix: { full: 80, short: 15, direct: 5 },
        steps: 6000,
        goal: { accuracy, format: 0.95, after: 40, every: 10, items: 256 },
      },
    ],
  };
}

/**
 * What makes the embedded model nano-order-1 of nano, one that can track one person's belief though not yet well: order 1
 * alone and full traces alone, three of four stories that the shortcut answers left out (with all of them in, a model
 * of this size stays on the shortcut). It ends early, so that reinforcement learning has something left to teach.
 */
export function orderOneRecipe(seed: number, accuracy = 0.7): WarmStartConfig {
  const { adamw, ...rest } = warmStartRecipe('nano', seed);
  return {
    ...rest,
    data: { source: 'nano', orders: [1], dropShortcutRight: 0.75, reentry: false },
    adamw: { ...adamw, learningRate: 2e-3 },
    stages: [
      {
        mix: { full: 1, short: 0, direct: 0 },
        steps: 6000,
        goal: { accuracy, format: 0.95, after: 40, every: 20, items: 256 },
      },
    ],
  };
}

/** Peak learning rates of pretraining, by the model. */
export const pretrainingRates = {
  '12k': 5e-3,
  '25k': 5e-3,
  '100k': 3e-3,
  '398k': 2e-3,
  'hitom-mini': 2e-3,
} as const;

export interface PretrainingOptions {
  seed: number;
  steps: number;
  /** Examples per step; 32 where left out. */
  batch?: number;
  data: DataSpec;
  learningRate: number;
  /** 50 where left out. */
  warmupSteps?: number;
  /** Fractions of the verbosities; 60 % full traces and 40 % direct answers where left out. */
  mix?: Record<Verbosity, number>;
  maxNewTokens?: number;
  /** Examples of a step that run together; all where left out. */
  atOnce?: number;
}

/** Pretraining with a warm-up and a linear decay to a tenth of the rate. */
export function pretrainingRecipe(options: PretrainingOptions): WarmStartConfig {
  const { seed, steps, data, learningRate } = options;
  const mix = options.mix ?? { full: 60, short: 0, direct: 40 };
  return {
    seed,
    data,
    batch: options.batch ?? 32,
    atOnce: options.atOnce,
    maxNewTokens: options.maxNewTokens ?? 48,
    adamw: {
      learningRate,
      beta1: 0.9,
      beta2: 0.98,
      epsilon: 1e-8,
      weightDecay: 0.01,
      maxGradNorm: 1,
    },
    schedule: { warmupSteps: options.warmupSteps ?? 50, finalFraction: 0.1, decay: 'linear' },
    stages: [{ mix, steps }],
  };
}

/** Where a run of one stage was left off. */
export type WarmStartDone = Pick<WarmStartReport, 'steps' | 'tokens'>;

export interface WarmStartOptions {
  /** What an earlier run of the same single stage has done, whose state the policy has. */
  done?: WarmStartDone;
  /** Ends after so many steps, those done before included. */
  until?: number;
  /** Told of every update, and waited for. */
  onStep?: (record: StepRecord) => Promise<void> | void;
  /** Of all steps, before each of them and between its micro-batches. */
  onProgress?: PassProgress;
}

/**
 * Trains `policy` in place.
 *
 * @throws MarbleError `rl/not-finite` where the loss or its gradient is not finite
 */
export async function warmStart(
  policy: Policy,
  config: WarmStartConfig,
  { done = { steps: 0, tokens: 0 }, until = Infinity, onStep, onProgress }: WarmStartOptions = {},
): Promise<WarmStartReport> {
  const mostSteps = config.stages.reduce((sum, { steps }) => sum + steps, 0);
  const result: WarmStartReport = {
    steps: done.steps,
    tokens: done.tokens,
    accuracy: 0,
    format: 0,
    meanLength: 0,
    reached: true,
  };
  for (const stage of config.stages) {
    let reached = stage.goal === undefined;
    const isOver = (stageStep: number): boolean => stageStep > stage.steps || result.steps >= until;
    for (let stageStep = 1 + done.steps; !isOver(stageStep); stageStep++) {
      const begun = result.steps;
      const tick = async (fraction: number): Promise<void> => onProgress?.((begun + fraction) / mostSteps);
      await tick(0);
      const examples = drawExamples(policy, config, stage, begun);
      const adamw = { ...config.adamw, learningRate: rateAt(begun, mostSteps, config) };
      const report = await sftUpdate(policy, examples, adamw, { atOnce: config.atOnce, onProgress: tick });
      result.steps += 1;
      result.tokens += report.tokens;
      if (!report.applied) throw notFinite(result.steps);
      const record: StepRecord = {
        step: result.steps,
        loss: report.loss,
        entropy: report.entropy,
        grad_norm: report.gradNorm,
        learning_rate: adamw.learningRate,
        num_tokens: result.tokens,
      };
      const goal = stage.goal;
      if (goal !== undefined && isLook(goal, stageStep)) {
        await tick(1);
        const look = await lookAt(policy, config, goal, () => tick(1));
        Object.assign(result, look);
        record.accuracy = look.accuracy;
        record.format = look.format;
        record['completions/mean_length'] = look.meanLength;
        reached = look.accuracy >= goal.accuracy && look.format >= goal.format;
      }
      await onStep?.(record);
      if (reached && goal !== undefined) break;
    }
    result.reached &&= reached;
  }
  return result;
}

function rateAt(index: number, steps: number, { adamw, schedule }: WarmStartConfig): number {
  if (schedule === undefined) return adamw.learningRate;
  return learningRateAt(index, steps, { ...schedule, learningRate: adamw.learningRate });
}

function isLook({ after, every }: WarmStartGoal, stageStep: number): boolean {
  return stageStep >= after && (stageStep - after) % every === 0;
}

function drawExamples(
  policy: Policy,
  { seed, data, batch }: WarmStartConfig,
  { mix }: WarmStartStage,
  step: number,
): ReturnType<typeof goldExample>[] {
  const random = createRandom(seed, MIX_STREAM, step);
  const items = generateDataset({ ...data, seed, offset: step * batch, count: batch });
  const whole = mix.full + mix.short + mix.direct;
  return items.map((item) => {
    const draw = random.uniform() * whole;
    const verbosity = draw < mix.full ? 'full' : draw < mix.full + mix.short ? 'short' : 'direct';
    return goldExample(policy, item, verbosity);
  });
}

async function lookAt(
  policy: Policy,
  { seed, data, maxNewTokens }: WarmStartConfig,
  { items }: WarmStartGoal,
  tick: () => Promise<void>,
): Promise<Pick<WarmStartReport, 'accuracy' | 'format' | 'meanLength'>> {
  const samples = await sampleItems(
    policy,
    generateDataset({ ...data, seed, offset: LOOK_OFFSET, count: items }),
    { samplesPerPrompt: 1, maxNewTokens, temperature: 1, seed, onProgress: tick },
    reward,
  );
  return {
    accuracy: mean(samples.map((sample) => Number(sample.reward.correct))),
    format: mean(samples.map((sample) => Number(sample.reward.formatHolds))),
    meanLength: mean(samples.map(({ response }) => response.length)),
  };
}

function notFinite(step: number): MarbleError {
  return new MarbleError(
    'rl/not-finite',
    `The loss or its gradient was not finite in step ${step} of the warm start.`,
    'Lower the learning rate and start again.',
  );
}
