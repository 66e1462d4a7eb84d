/**
 * One training step as a flat record of numbers, by TRL's metric names where TRL has one, so that curves from other
 * trainers can be laid beside ours. A metric that a step has no case of (no question of order 3, no response that
 * ended, no reference to measure `kl` against) is left out of its record rather than given as 0.
 *
 *   reward_std, frac_reward_zero_std     within groups: mean deviation, and the fraction of groups without any
 *   clip_ratio/region_mean               fraction of tokens whose gradient the clip took away
 *   sampling/sampling_logp_difference    |log p of the sampler - log p of the trainer|, over response tokens
 *   accuracy/shortcut_conflict           accuracy on the questions whose shortcut is wrong
 *   trace/right_answer_wrong_trace       of the right answers, the fraction whose trace says something false
 *   think/reflection_words               mean count per answer of self-reflection words in its thinking (`reflection.ts`)
 *   padded_prompts                       prompts without variance that dynamic sampling had no rounds left to replace
 *   time/look                            seconds of scoring the tokens that a page shows once more
 *   time/store                           seconds of keeping since the step before; whoever keeps the run adds it
 */
import type { StepRecord } from './events';
import { isShortcutRight } from '../../tom/item';
import { countReflections } from './reflection';
import { byGroup, hasFalseStatement, type Sample } from './sample';
import { deviation, extent, mean } from '../../base/statistics';

/** Wall-clock metrics: all that may differ between two runs of one configuration on one machine. */
export const timingMetrics: readonly string[] = [
  'step_time',
  'time/rollout',
  'time/reward',
  'time/reference',
  'time/update',
  'time/look',
  'time/store',
  'tokens_per_second/rollout',
  'tokens_per_second/train',
];

/** Milliseconds spent in each phase of a step, pauses left out. */
export interface PhaseTimes {
  rollout: number;
  reward: number;
  reference: number;
  update: number;
  /** After the update, where the tokens that a page shows are scored once more. */
  look?: number;
}

/** What an update says of itself, over the response tokens. */
export interface UpdateFigures {
  loss: number;
  /** Null where no reference was asked. */
  kl: number | null;
  entropy: number;
  clipFraction: number;
  /** Before clipping; the mean where a batch had several updates. */
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
  /** Prompt and response tokens seen since the run began. */
  numTokens: number;
  /** Prompts that dynamic sampling replaced, and those that it could not. */
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
    'clip_ratio/region_mean': update.clipFraction,
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
  const responseTokens = samples.reduce((sum, { response }) => sum + response.length, 0);
  const allTokens = samples.reduce((sum, { prompt, response }) => sum + prompt.length + response.length, 0);
  const seconds = (milliseconds: number): number => milliseconds / 1000;
  record.step_time = seconds(
    times.rollout + times.reward + times.reference + times.update + (times.look ?? 0),
  );
  record['time/rollout'] = seconds(times.rollout);
  record['time/reward'] = seconds(times.reward);
  record['time/reference'] = seconds(times.reference);
  record['time/update'] = seconds(times.update);
  if (times.look !== undefined) record['time/look'] = seconds(times.look);
  record['tokens_per_second/rollout'] = responseTokens / Math.max(1e-3, seconds(times.rollout));
  record['tokens_per_second/train'] = allTokens / Math.max(1e-3, seconds(times.update));
  return record;
}

type Metrics = Record<string, number>;

function rewardMetrics(samples: readonly Sample[]): Metrics {
  const deviations = byGroup(samples).map((group) => deviation(group.map(({ reward }) => reward.total)));
  const metrics: Metrics = {
    reward: mean(samples.map(({ reward }) => reward.total)),
    reward_std: mean(deviations),
    frac_reward_zero_std: mean(deviations.map((value) => Number(value === 0))),
  };
  for (const { name } of samples[0]?.reward.parts ?? []) {
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
    ...(traced.length > 0
      ? {
          'trace/validity': mean(traced.map(({ reward }) => reward.trace?.validity ?? 0)),
          'trace/coverage': mean(traced.map(({ reward }) => reward.trace?.coverage ?? 0)),
        }
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
  const conflicts = samples.filter(({ item }) => isShortcutRight(item) === false);
  if (conflicts.length > 0) {
    metrics['accuracy/shortcut_conflict'] = accuracy(conflicts);
  }
  return metrics;
}
