/**
 * Computes the record of a training step: a flat map from metric name to number. Names follow TRL where possible, which
 * makes curves comparable with those of other trainers. A metric without cases in a step (no question of order 3, no
 * statement in a trace, no response that ended, no prompt with two samples, no reference model or no token in the loss
 * for `kl`) is omitted instead of reported as 0.
 *
 *   reward_std, frac_reward_zero_std     mean deviation within groups, and the fraction of groups with none
 *   kl                                   mean of the run's estimator over the tokens in the loss
 *   entropy                              mean over all response tokens, those left out of the loss included
 *   clip_ratio/region_mean               fraction of the tokens in the loss whose gradient is clipped to zero
 *   sampling/sampling_logp_difference    |log p of the sampler - log p of the trainer|, over response tokens
 *   accuracy/shortcut_conflict           accuracy on hard questions
 *   trace/validity, trace/coverage       means of the answers, in which one without a statement counts 0
 *   trace/right_answer_wrong_trace       fraction of right answers with a false statement in the trace
 *   think/reflection_words               mean number of self-reflection words per answer
 *   padded_prompts                       prompts without reward variance that dynamic sampling had no rounds left to replace
 *   time/store                           seconds of storage since the previous step, added by the store
 */
import type { StepRecord } from './events';
import { isHard } from '../../tom/item';
import { byGroup, hasFalseStatement, hasReadStatement, type Sample } from './sample';
import { deviation, extent, mean } from '../../base/statistics';

/** Wall-clock metrics, the only ones that differ between two runs of one configuration on one machine. */
export const timingMetrics: readonly string[] = [
  'step_time',
  'time/rollout',
  'time/reward',
  'time/reference',
  'time/update',
  'time/look', // only in records of earlier versions
  'time/store',
  'tokens_per_second/rollout',
  'tokens_per_second/train',
];

/** Milliseconds in each phase of a step, without pauses. */
export type PhaseTimes = Record<'rollout' | 'reward' | 'reference' | 'update', number>;

/** Statistics of an update over the response tokens. */
export interface UpdateFigures {
  loss: number;
  /** Null without a reference model, and if the loss takes no token. */
  kl: number | null;
  entropy: number;
  /** Null if the loss takes no token. */
  clipFraction: number | null;
  /** Norm before clipping, averaged over the updates of a batch. */
  gradNorm: number;
  /** |log p of the sampler - log p of the trainer| over the response tokens. */
  samplerGap: { mean: number; max: number };
}

export interface MeasuredStep {
  step: number;
  samples: readonly Sample[];
  update: UpdateFigures;
  learningRate: number;
  klCoefficient: number;
  /** Prompt and response tokens processed since the start of the run. */
  numTokens: number;
  /** Response tokens, including those of replaced prompts. */
  sampledTokens: number;
  /** Number of prompts that dynamic sampling replaced (`resampled`) and could not replace (`padded`). */
  resampled: number;
  padded: number;
  times: PhaseTimes;
}

export function stepRecord(facts: MeasuredStep): StepRecord {
  const { samples, update, times } = facts;
  const record: StepRecord = {
    step: facts.step,
    ...rewardMetrics(samples),
    ...lengthMetrics(samples),
    loss: update.loss,
    ...(update.kl === null ? {} : { kl: update.kl }),
    kl_coefficient: facts.klCoefficient,
    entropy: update.entropy,
    ...(update.clipFraction === null ? {} : { 'clip_ratio/region_mean': update.clipFraction }),
    'sampling/sampling_logp_difference/mean': update.samplerGap.mean,
    'sampling/sampling_logp_difference/max': update.samplerGap.max,
    grad_norm: update.gradNorm,
    learning_rate: facts.learningRate,
    num_tokens: facts.numTokens,
    resampled_prompts: facts.resampled,
    ...(facts.padded > 0 ? { padded_prompts: facts.padded } : {}),
    ...reasoningMetrics(samples),
    ...accuracyMetrics(samples),
  };
  const allTokens = samples.reduce((sum, { prompt, response }) => sum + prompt.length + response.length, 0);
  record.step_time = Object.values(times).reduce((sum, milliseconds) => sum + milliseconds, 0) / 1000;
  for (const [phase, milliseconds] of Object.entries(times)) record[`time/${phase}`] = milliseconds / 1000;
  record['tokens_per_second/rollout'] = facts.sampledTokens / Math.max(1e-3, record['time/rollout']);
  record['tokens_per_second/train'] = allTokens / Math.max(1e-3, record['time/update']);
  return record;
}

type Metrics = Record<string, number>;

function rewardMetrics(samples: readonly Sample[]): Metrics {
  const groups = byGroup(samples).filter(({ length }) => length > 1);
  const deviations = groups.map((group) => deviation(group.map(({ reward }) => reward.total)));
  const metrics: Metrics = { reward: mean(samples.map(({ reward }) => reward.total)) };
  if (groups.length > 0) {
    metrics.reward_std = mean(deviations);
    metrics.frac_reward_zero_std = mean(deviations.map((value) => Number(value === 0)));
  }
  // An answer in another format may have fewer parts.
  const names = new Set(samples.flatMap(({ reward }) => reward.parts.map(({ name }) => name)));
  for (const name of names) {
    const values = samples.map(({ reward }) => reward.parts.find((part) => part.name === name)?.value ?? 0);
    metrics[`rewards/${name}/mean`] = mean(values);
    metrics[`rewards/${name}/std`] = deviation(values);
  }
  return metrics;
}

function lengthMetrics(samples: readonly Sample[]): Metrics {
  const lengths = samples.map(({ response }) => response.length);
  const [least, most] = extent(lengths);
  const ended = samples.filter(({ finished }) => finished).map(({ response }) => response.length);
  return {
    'completions/mean_length': mean(lengths),
    'completions/min_length': least,
    'completions/max_length': most,
    'completions/clipped_ratio': 1 - ended.length / samples.length,
    ...(ended.length > 0 ? { 'completions/mean_terminated_length': mean(ended) } : {}),
  };
}

function reasoningMetrics(samples: readonly Sample[]): Metrics {
  const traced = samples.filter(({ reward }) => reward.trace !== null);
  const right = traced.filter(({ reward }) => reward.correct);
  return {
    'think/mean_length': mean(samples.map(({ thinkTokens }) => thinkTokens)),
    'think/empty_fraction': mean(samples.map(({ reward }) => Number(reward.think === ''))),
    'think/reflection_words': mean(samples.map(({ reward }) => countReflections(reward.think))),
    ...(traced.some(hasReadStatement)
      ? { 'trace/validity': mean(traced.map(({ reward }) => reward.trace?.validity ?? 0)) }
      : {}),
    ...(traced.length > 0
      ? { 'trace/coverage': mean(traced.map(({ reward }) => reward.trace?.coverage ?? 0)) }
      : {}),
    ...(right.length > 0 ? { 'trace/right_answer_wrong_trace': mean(right.map(hasFalseStatement)) } : {}),
  };
}

function accuracyMetrics(samples: readonly Sample[]): Metrics {
  const accuracy = (chosen: readonly Sample[]): number =>
    mean(chosen.map(({ reward }) => Number(reward.correct)));
  const metrics: Metrics = {
    accuracy: accuracy(samples),
    format: mean(samples.map(({ reward }) => Number(reward.formatHolds))),
  };
  for (const order of [...new Set(samples.map(({ item }) => item.order))].sort((a, b) => a - b)) {
    metrics[`accuracy/order_${order}`] = accuracy(samples.filter(({ item }) => item.order === order));
  }
  const hard = samples.filter(({ item }) => isHard(item));
  if (hard.length > 0) {
    metrics['accuracy/shortcut_conflict'] = accuracy(hard);
  }
  return metrics;
}

/** Self-reflection words in reasoning. We chose the list. Every occurrence counts, with or without a subsequent check. */
const reflectionWords = ['wait', 'however', 'let me check', 'reconsider', 'actually', 'alternatively', 'hmm'];

const pattern = new RegExp(`\\b(?:${reflectionWords.join('|')})\\b`, 'gi');

/** Counts whole words, case-insensitively. Line ends and repeated spaces count as one space. */
export function countReflections(think: string): number {
  return think.replace(/\s+/g, ' ').match(pattern)?.length ?? 0;
}
