/** Schemas of the algorithm and optimiser settings of a run configuration. */
import * as v from 'valibot';
import { algorithmNames, type AlgorithmConfig, type KlConfig } from '../../objective/algorithm';
import { integer, oneNamed, real, told, yesOrNo } from './field-schemas';

const kl = v.strictObject({
  place: oneNamed({
    label: 'Place of the KL penalty',
    names: { reward: 'In the reward', loss: 'In the loss', none: 'None' },
  }),
  coefficient: real(0, 10, { label: 'KL penalty' }),
  estimator: oneNamed({
    label: 'KL estimator',
    names: { k1: 'k1', k2: 'k2', k3: 'k3' },
  }),
  target: real(0, 100, { label: 'KL target' }),
  horizon: integer(1, 10_000_000, { label: 'KL horizon' }),
  credit: v.optional(
    oneNamed({
      label: 'KL credit',
      names: { token: 'By token', response: 'By response' },
    }),
  ),
} satisfies Record<keyof KlConfig, v.GenericSchema>);

const dualClip = '0 for the convention’s own, or a number from 1 to 100';

/** Schema of `AlgorithmConfig`, which documents the fields. */
export const algorithm = v.strictObject({
  name: oneNamed({
    label: 'Algorithm',
    names: algorithmNames,
  }),
  gamma: real(0, 1, { label: 'Discount γ' }),
  kl,
  clipLow: real(0, 1, { label: 'Clip low' }),
  clipHigh: real(0, 10, { label: 'Clip high' }),
  dualClip: v.pipe(
    v.number(dualClip),
    v.check((value) => value === 0 || value >= 1, dualClip),
    v.minValue(0, dualClip),
    v.maxValue(100, dualClip),
    told<number>({ label: 'Dual clip' }),
  ),
  entropyCoefficient: real(0, 1, { label: 'Entropy bonus' }),
  convention: oneNamed({
    label: 'Convention',
    names: { openrlhf: 'OpenRLHF', verl: 'verl' },
  }),
  aggregation: oneNamed({
    label: 'Loss aggregation',
    names: {
      'token-mean': 'Mean over all tokens',
      'sequence-mean': 'Mean of sequence means',
      'sequence-sum': 'Mean of sequence sums',
      'constant-length': 'Sum over the longest length',
    },
  }),
  scale: v.optional(
    oneNamed({
      label: 'Advantage scale',
      names: {
        'all-tokens': 'Spread of all tokens',
        group: 'Spread in the prompt',
        batch: 'Spread of all rewards',
        none: 'Nothing',
      },
    }),
  ),
  ratio: oneNamed({
    label: 'Importance ratio',
    names: { token: 'Of each token', sequence: 'Of the whole completion' },
  }),
  overlongBuffer: integer(0, 8192, { label: 'Overlong buffer', unit: 'tokens' }),
  lengthPenalty: real(0, 10, { label: 'Length penalty' }),
  maskTruncated: yesOrNo({ label: 'Mask cut-off completions' }),
  resampleRounds: integer(0, 100, { label: 'Dynamic sampling' }),
} satisfies Record<keyof AlgorithmConfig, v.GenericSchema>) satisfies v.GenericSchema<
  unknown,
  AlgorithmConfig
>;

export const optimizer = v.strictObject({
  learningRate: real(0, 1, { label: 'Learning rate' }),
  finalFraction: real(0, 1, { label: 'Final learning rate' }),
  decay: oneNamed({
    label: 'Learning rate decay',
    names: { linear: 'Linear', cosine: 'Cosine' },
  }),
  warmupSteps: integer(0, 100_000, { label: 'Warm-up', unit: 'steps' }),
  beta1: real(0, 0.99999, { label: 'AdamW β₁' }),
  beta2: real(0, 0.99999, { label: 'AdamW β₂' }),
  epsilon: real(1e-12, 1, { label: 'AdamW ε' }),
  weightDecay: real(0, 1, { label: 'Weight decay' }),
  maxGradNorm: real(1e-6, 1e6, { label: 'Gradient norm, at most' }),
  /** The ratio and its clip have an effect only if this or `miniBatches` exceeds 1. */
  passes: integer(1, 100, { label: 'Passes (epochs)' }),
  miniBatches: integer(1, 256, { label: 'Mini-batches' }),
  microBatch: integer(0, 65_536, { label: 'Micro-batch' }),
});

export type OptimizerConfig = v.InferOutput<typeof optimizer>;
