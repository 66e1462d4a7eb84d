/** One configuration that is no preset of the house, and arbitrary ones, for the tests of the share room. */
import fc from 'fast-check';
import { runConfigSchema } from '../../src/run/config/config';
import type { RunConfig } from '../../src/run/config/config';

const { reward } = runConfigSchema.entries;

export const example: RunConfig = {
  preset: 'example',
  seed: 1,
  method: 'rl',
  model: { kind: 'embedded', name: 'ladder-25k' },
  training: { mode: 'full' },
  data: { source: 'swap', orders: [0, 1, 2, 3], dropShortcutRight: 0, reentry: false },
  reward: { preset: 'logic-rl' },
  algorithm: {
    name: 'reinforce++',
    gamma: 1,
    kl: { place: 'reward', coefficient: 0.01, estimator: 'k1', target: 0, horizon: 10_000 },
    clipLow: 0.2,
    clipHigh: 0.2,
    dualClip: 0,
    entropyCoefficient: 0,
    convention: 'openrlhf',
    aggregation: 'token-mean',
    ratio: 'token',
    overlongBuffer: 0,
    lengthPenalty: 0,
    maskTruncated: false,
    resampleRounds: 0,
  },
  rollout: { promptsPerStep: 8, samplesPerPrompt: 8, temperature: 1, maxNewTokens: 80 },
  optimizer: {
    learningRate: 0.0015,
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
  },
  steps: 150,
  evaluation: { every: 10, items: 200, seed: 7, patience: 0 },
  checkpointEvery: 10,
};

export const examplePresets = {
  example,
  'example-lora': {
    ...example,
    preset: 'example-lora',
    model: { kind: 'hub', repository: 'Qwen/Qwen2.5-0.5B-Instruct', revision: 'a'.repeat(40) },
    training: { mode: 'lora', rank: 16, alpha: 32 },
  },
} satisfies Record<string, RunConfig>;

const whole = (min: number, max: number) => fc.integer({ min, max });
/** Never -0, which a link writes as 0. */
const exact = (min: number, max: number) => fc.double({ min, max, noNaN: true }).map((value) => value + 0);
const rounded = (min: number, max: number) =>
  fc
    .double({ min, max, noNaN: true })
    .map((value) => Math.min(max, Math.max(min, Number(value.toPrecision(3)))));
const word = fc.stringMatching(/^[A-Za-z0-9][\w.-]{0,30}$/);

type Algorithm = RunConfig['algorithm'];
type Optional = Partial<Omit<Algorithm, 'kl'> & { kl: Partial<Algorithm['kl']> }>;

/** Settings that may be left out: each is there or not. */
const leftOut: fc.Arbitrary<Optional> = fc.record(
  {
    scale: fc.constantFrom('all-tokens', 'group', 'batch', 'none'),
    kl: fc.record({ credit: fc.constantFrom('token', 'response') }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);

const algorithmWith = (real: typeof exact, optional: fc.Arbitrary<Optional>): fc.Arbitrary<Algorithm> =>
  fc
    .tuple(
      fc.record({
        name: fc.constantFrom('reinforce++', 'reinforce++-baseline', 'grpo', 'dr-grpo', 'dapo', 'rloo'),
        gamma: real(0, 1),
        kl: fc.record({
          place: fc.constantFrom('reward', 'loss', 'none'),
          coefficient: real(0, 10),
          estimator: fc.constantFrom('k1', 'k2', 'k3'),
          target: real(0, 100),
          horizon: whole(1, 10_000_000),
        }),
        clipLow: real(0, 1),
        clipHigh: real(0, 10),
        dualClip: fc.oneof(fc.constant(0), real(1, 100)),
        entropyCoefficient: real(0, 1),
        convention: fc.constantFrom('openrlhf', 'verl'),
        aggregation: fc.constantFrom('token-mean', 'sequence-mean', 'sequence-sum', 'constant-length'),
        ratio: fc.constantFrom('token', 'sequence'),
        overlongBuffer: whole(0, 8192),
        lengthPenalty: real(0, 10),
        maskTruncated: fc.boolean(),
        resampleRounds: whole(0, 100),
      }),
      optional,
    )
    .map(([required, beside]) => ({ ...required, ...beside, kl: { ...required.kl, ...beside.kl } }));

/** Any configuration that the schema allows and whose preset is one of `examplePresets`. */
const configWith = (real: typeof exact, optional: fc.Arbitrary<Optional>): fc.Arbitrary<RunConfig> =>
  fc.record({
    preset: fc.constantFrom(...Object.keys(examplePresets)),
    seed: whole(0, 2 ** 32 - 1),
    method: fc.constantFrom('rl', 'sft-answers', 'sft-traces'),
    model: fc.oneof(
      fc.record({
        kind: fc.constant('embedded' as const),
        name: fc.constantFrom('ladder-12k', 'ladder-25k'),
      }),
      fc.record({
        kind: fc.constant('hub' as const),
        repository: fc.tuple(word, word).map(([owner, name]) => `${owner}/${name}`),
        revision: fc.stringMatching(/^[0-9a-f]{40}$/),
      }),
      fc.record({
        kind: fc.constant('url' as const),
        url: fc.oneof(
          fc
            .stringMatching(/^https:\/\/[a-z.]{1,30}\/[a-z0-9/%&=+:,;~-]{0,60}$/)
            .filter((url) => URL.canParse(url)),
          fc.constantFrom('https://a:65535/', 'http://[::1]', 'https://%41/'),
        ),
      }),
    ),
    training: fc.oneof(
      fc.record({ mode: fc.constant('full' as const) }),
      fc.record({ mode: fc.constant('lora' as const), rank: whole(1, 256), alpha: real(0.01, 1024) }),
    ),
    data: fc.record(
      {
        source: fc.oneof(
          word,
          word.map((id) => `imported:${id}`),
        ),
        orders: fc.uniqueArray(whole(0, 4), { minLength: 1, maxLength: 5 }),
        dropShortcutRight: real(0, 1),
        reentry: fc.boolean(),
        rho: real(0, 1),
        events: whole(3, 12),
        trainItems: whole(0, 1_000_000),
      },
      { requiredKeys: ['source', 'orders', 'dropShortcutRight', 'reentry'] },
    ),
    reward: fc.record({
      preset: fc.constantFrom(...reward.entries.preset.options),
    }),
    algorithm: algorithmWith(real, optional),
    rollout: fc.record({
      promptsPerStep: whole(1, 256),
      samplesPerPrompt: whole(1, 256),
      temperature: real(0.01, 10),
      maxNewTokens: whole(1, 8192),
    }),
    optimizer: fc.record({
      learningRate: real(0, 1),
      finalFraction: real(0, 1),
      decay: fc.constantFrom('linear', 'cosine'),
      warmupSteps: whole(0, 100_000),
      beta1: real(0, 0.9999),
      beta2: real(0, 0.9999),
      epsilon: real(1e-12, 1),
      weightDecay: real(0, 1),
      maxGradNorm: real(1e-6, 1e6),
      passes: whole(1, 100),
      miniBatches: whole(1, 256),
      microBatch: whole(0, 65_536),
    }),
    steps: whole(1, 100_000),
    evaluation: fc.record(
      {
        every: whole(1, 100_000),
        items: whole(1, 10_000),
        seed: whole(0, 2 ** 32 - 1),
        patience: whole(0, 100_000),
        validationItems: whole(0, 10_000),
      },
      { requiredKeys: ['every', 'items', 'seed', 'patience'] },
    ),
    checkpointEvery: whole(1, 100_000),
  });

/** Numbers with all their 17 digits. */
export const anyConfig = configWith(exact, leftOut);

/** Numbers of three digits, as people write them, and no settings that may be left out. */
export const plainConfig = configWith(rounded, fc.constant({}));
