/** Schemas of the algorithm and optimiser settings of a run configuration. */
import * as v from 'valibot';
import { algorithmNames, type AlgorithmConfig, type KlConfig } from '../../objective/algorithm';
import { integer, oneNamed, real, told, yesOrNo } from './field-schemas';

const kl = v.strictObject({
  place: oneNamed({
    label: 'Place of the KL penalty',
    explain: 'In the reward it is part of what is raised; in the loss a term beside it.',
    names: { reward: 'In the reward', loss: 'In the loss', none: 'None' },
  }),
  coefficient: real(0, 10, {
    label: 'KL penalty',
    explain: 'Holds the model near its start. 0 needs no reference model.',
  }),
  estimator: oneNamed({
    label: 'KL estimator',
    explain:
      'Of r, the reference’s probability of a sampled token over the model’s: −log r; (log r)²/2; r − 1 − log r.',
    names: { k1: 'k1', k2: 'k2', k3: 'k3' },
  }),
  target: real(0, 100, {
    label: 'KL target',
    explain: 'Above 0 the penalty adapts so that the divergence comes there.',
  }),
  horizon: integer(1, 10_000_000, {
    label: 'KL horizon',
    explain: 'Rollouts in which a penalty that adapts moves by its full step.',
  }),
  credit: v.optional(
    oneNamed({
      label: 'KL credit',
      explain: 'In the reward: each token’s taken at that token, or their sum from the outcome.',
      names: { token: 'By token', response: 'By response' },
    }),
  ),
} satisfies Record<keyof KlConfig, v.GenericSchema>);

const dualClip = '0 for the convention’s own, or a number from 1 to 100';

/** Schema of `AlgorithmConfig`, which documents the fields. */
export const algorithm = v.strictObject({
  name: oneNamed({
    label: 'Algorithm',
    explain: 'How a reward becomes an advantage.',
    names: algorithmNames,
  }),
  gamma: real(0, 1, {
    label: 'Discount γ',
    explain: 'What a reward one token later counts, in REINFORCE++ without a baseline; 1 in the paper.',
  }),
  kl,
  clipLow: real(0, 1, {
    label: 'Clip low',
    explain: 'How far below 1 a ratio still counts. Bites only with several updates a step.',
  }),
  clipHigh: real(0, 10, { label: 'Clip high', explain: 'How far above 1 it still counts.' }),
  dualClip: v.pipe(
    v.number(dualClip),
    v.check((value) => value === 0 || value >= 1, dualClip),
    v.minValue(0, dualClip),
    v.maxValue(100, dualClip),
    told<number>({
      label: 'Dual clip',
      explain:
        'Bounds the loss of a bad completion at so many times its advantage. 0: as the convention has it.',
    }),
  ),
  entropyCoefficient: real(0, 1, { label: 'Entropy bonus', explain: 'Pays for staying undecided.' }),
  convention: oneNamed({
    label: 'Convention',
    explain: 'verl divides by Bessel’s deviation and always has a dual clip, of 3.',
    names: { openrlhf: 'OpenRLHF', verl: 'verl' },
  }),
  aggregation: oneNamed({
    label: 'Loss aggregation',
    explain: 'Long completions count more by token, and less by sequence.',
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
      explain: 'What an advantage is divided by.',
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
    explain: 'New against old probability, which the clip bounds.',
    names: { token: 'Of each token', sequence: 'Of the whole completion' },
  }),
  overlongBuffer: integer(0, 8192, {
    label: 'Overlong buffer',
    explain: 'In the last so many tokens of its limit a completion loses up to 1. 0: no such term.',
    unit: 'tokens',
  }),
  lengthPenalty: real(0, 10, {
    label: 'Length penalty',
    explain: 'What a completion as long as the limit loses; a shorter one in proportion.',
  }),
  maskTruncated: yesOrNo({
    label: 'Mask cut-off completions',
    explain: 'They take no part in the loss.',
  }),
  resampleRounds: integer(0, 100, {
    label: 'Dynamic sampling',
    explain: 'Rounds in which prompts whose samples all earned the same are replaced. 0: none.',
  }),
} satisfies Record<keyof AlgorithmConfig, v.GenericSchema>) satisfies v.GenericSchema<
  unknown,
  AlgorithmConfig
>;

export const optimizer = v.strictObject({
  learningRate: real(0, 1, { label: 'Learning rate', explain: 'How far each step moves the model.' }),
  finalFraction: real(0, 1, {
    label: 'Final learning rate',
    explain: 'As a fraction of the first; 1 keeps it constant.',
  }),
  decay: oneNamed({
    label: 'Learning rate decay',
    explain: 'How it goes from the first to the last.',
    names: { linear: 'Linear', cosine: 'Cosine' },
  }),
  warmupSteps: integer(0, 100_000, {
    label: 'Warm-up',
    explain: 'The rate rises over these.',
    unit: 'steps',
  }),
  beta1: real(0, 0.99999, { label: 'AdamW β₁', explain: 'Memory of the mean gradient.' }),
  beta2: real(0, 0.99999, { label: 'AdamW β₂', explain: 'Memory of the mean squared gradient.' }),
  epsilon: real(1e-12, 1, {
    label: 'AdamW ε',
    explain: 'Added to the root that the gradient is divided by.',
  }),
  weightDecay: real(0, 1, { label: 'Weight decay', explain: 'Pulls weights towards 0, times the rate.' }),
  maxGradNorm: real(1e-6, 1e6, {
    label: 'Gradient norm, at most',
    explain: 'The gradient of all weights is scaled down to this norm.',
  }),
  /** The ratio and its clip have an effect only if this or `miniBatches` exceeds 1. */
  passes: integer(1, 100, {
    label: 'Passes (epochs)',
    explain: 'Times that a step’s completions are gone over.',
  }),
  miniBatches: integer(1, 256, {
    label: 'Mini-batches',
    explain: 'Updates per pass, each on its own share of the completions.',
  }),
  microBatch: integer(0, 65_536, {
    label: 'Micro-batch',
    explain: 'Completions run at once, for less memory; their gradients add up. 0: all of an update.',
  }),
});

export type OptimizerConfig = v.InferOutput<typeof optimizer>;
