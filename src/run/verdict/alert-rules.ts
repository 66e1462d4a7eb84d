/**
 * Detects silent failures of RL on small models. Each rule covers one failure, with its cause and the next step. An alert is
 * raised when its rule starts to hold, and again only after the rule has stopped holding. Rules on values near a threshold
 * use hysteresis: they stay active until the run recovers. A code is raised again only once the run is a tenth longer, so the
 * number of alerts grows with the logarithm of the steps: with two prompts a step, a rule may start to hold every few steps.
 * Rules read only step and evaluation records, which allows replaying a stored run.
 *
 * A spike is more than three deviations above the mean of the recent steps AND more than twice the largest of them. Healthy
 * runs occasionally exceed the deviation alone, because gradient norms have heavy tails and because a divergence that starts
 * at 0 can only grow.
 */
import { countedReward } from '../../objective/advantages';
import { resolveAlgorithm, type AlgorithmSettings } from '../../objective/algorithm';
import type { Alert, StepRecord } from '../record/events';
import type { Sample } from '../record/sample';
import type { Verdict } from '../record/evaluation';
import { deviation, mean, percent } from '../../base/statistics';
import { isLoss, startWords, type Ending } from './ending';

/** State of the rules: plain JSON, part of the checkpoint. */
export interface AlertState {
  /** Codes to suppress until their rule stops holding or the run recovers. */
  active: string[];
  /** Last step at which each code was raised; absent in checkpoints of earlier versions. */
  last?: Record<string, number>;
  /** Recent values of the metrics with spike detection. */
  recent: Record<string, number[]>;
  /** Least fraction of responses that were cut off in any step so far; absent before the first step on rewards. */
  leastCutOff?: number;
}

interface Rule<Facts> {
  code: string;
  severity: Alert['severity'];
  holds(facts: Facts): boolean;
  /** Recovery condition, if it is stricter than the rule no longer holding. */
  hasRecovered?(facts: Facts): boolean;
  cause(facts: Facts): string;
  nextStep: string;
}

interface StepFacts {
  record: StepRecord;
  recent: AlertState['recent'];
  leastCutOff: number | undefined;
}

interface EvalFacts {
  verdict: Verdict;
  /** Ending to show. An intermediate evaluation counts only together with the previous one. */
  ending: Ending;
}

const WINDOW = 20;
const LEAST_HISTORY = 10;
/** Least ratio of the steps at which one code is raised. */
const SPACING = 1.1;
/** Nats per token. Below this the policy samples the same tokens for every seed. */
const ENTROPY_FLOOR = 0.005;
/**
 * Accuracy at which low variance and low entropy indicate success. The gradient then depends on the few groups that still
 * differ, and its norm fluctuates.
 */
const MASTERED = 0.9;
/** Mean |log p of the sampler - log p of the trainer| that exceeds rounding error. */
const SAMPLER_GAP = 0.02;
/** Fraction of responses that reach the length limit. */
const CUT_OFF = 'completions/clipped_ratio';
/** A step in which at most this fraction was cut off shows that the limit suffices. */
const MOST_CUT_OFF = 0.5;
/** Metrics with spike detection, and the minimum value of a spike. */
const floors: Record<string, number> = { kl: 0.05, grad_norm: 0 };

const stepRules: Rule<StepFacts>[] = [
  {
    code: 'rl/no-variance',
    severity: 'warning',
    holds: ({ record }) => record.frac_reward_zero_std === 1 && !isMastered(record),
    hasRecovered: ({ record }) => record.frac_reward_zero_std <= 0.5,
    cause: ({ record }) =>
      `In every group all samples earned the same reward (mean ${threeDigits(record.reward)}): none was better than another answer to its question.`,
    nextStep:
      'Raise the temperature, take more samples per prompt, or choose questions that are neither all easy nor all hard. Where the reward has just fallen to this, lower the learning rate.',
  },
  {
    code: 'rl/out-of-prompts',
    severity: 'warning',
    holds: ({ record }) => record.padded_prompts > 0 && !isMastered(record),
    cause: ({ record }) =>
      `Dynamic sampling ran out of rounds: of ${record.padded_prompts} prompts of this step all samples earned the same, and the loss leaves them out.`,
    nextStep:
      'Allow more rounds, raise the temperature, take more samples per prompt, or choose questions that are neither all easy nor all hard.',
  },
  {
    code: 'rl/all-cut-off',
    severity: 'warning',
    holds: (facts) => isAllCutOff(facts) && !hasEnded(facts),
    cause: ({ record }) =>
      `Every response was cut off at ${record['completions/max_length']} tokens before it could answer.`,
    nextStep: 'Raise the most new tokens, or start from a model that ends its responses.',
  },
  {
    code: 'rl/no-longer-ends',
    severity: 'warning',
    holds: (facts) => isAllCutOff(facts) && hasEnded(facts),
    cause: ({ record, leastCutOff }) =>
      `Every response was cut off at ${record['completions/max_length']} tokens, and in an earlier step ${leastCutOff === 0 ? 'none' : `only ${percent(leastCutOff ?? 0)}`} of them were. The updates changed the model so much that its responses no longer end.`,
    nextStep:
      'Lower the learning rate, and start again or go back to an earlier checkpoint. If the responses grew longer step by step and stayed right, raise the most new tokens instead.',
  },
  {
    code: 'rl/entropy-floor',
    severity: 'warning',
    holds: ({ record }) => record.entropy < ENTROPY_FLOOR && !isMastered(record),
    hasRecovered: ({ record }) => record.entropy > 2 * ENTROPY_FLOOR,
    cause: ({ record }) =>
      `The entropy is ${threeDigits(record.entropy)} nats a token: the policy hardly explores any more.`,
    nextStep:
      'Raise the entropy coefficient or the temperature, lower the learning rate, or go back to an earlier checkpoint.',
  },
  {
    code: 'rl/kl-spike',
    severity: 'warning',
    holds: (facts) => isSpike('kl', facts),
    cause: ({ record, recent }) =>
      `The divergence from the reference jumped to ${threeDigits(record.kl)}; it was about ${threeDigits(mean(recent.kl))}.`,
    nextStep: 'Lower the learning rate or raise the KL coefficient if the reward falls after this step.',
  },
  {
    code: 'rl/grad-norm-spike',
    severity: 'warning',
    holds: (facts) => isSpike('grad_norm', facts) && !isMastered(facts.record),
    cause: ({ record, recent }) =>
      `The gradient norm jumped to ${threeDigits(record.grad_norm)}; it was about ${threeDigits(mean(recent.grad_norm))}.`,
    nextStep: 'One spike is clipped and does no harm; if they come again, lower the learning rate.',
  },
  {
    code: 'rl/sampler-gap',
    severity: 'error',
    holds: ({ record }) => record['sampling/sampling_logp_difference/mean'] > SAMPLER_GAP,
    cause: ({ record }) =>
      `Sampler and trainer disagree by ${threeDigits(record['sampling/sampling_logp_difference/mean'])} nats a token on the same tokens.`,
    nextStep:
      'The numbers of this device cannot be trusted: choose another backend, and report it with the adapter’s name.',
  },
];

const evalRules: Rule<EvalFacts>[] = [
  {
    code: 'rl/thinking-lost',
    severity: 'warning',
    holds: ({ ending }) => isLoss(ending),
    hasRecovered: ({ verdict: { conditions } }) => !conditions.wrongHalved && !conditions.faithfulHalved,
    cause: ({ verdict: { against, length, faithfulWrong, wrong, conditions } }) => {
      const changes = [
        ['right answers to hard questions went', wrong] as const,
        ['correct reasoning there', faithfulWrong] as const,
      ].flatMap(([what, figure]) =>
        figure === null ? [] : [`${what} from ${percent(figure.before)} to ${percent(figure.now)}`],
      );
      return `${conditions.silent ? 'The model stops thinking' : 'The model goes on writing and no longer thinks'} (${length.before.toFixed(1)} tokens ${startWords(against)}, now ${length.now.toFixed(1)})${changes.length === 0 ? '' : `: ${changes.join(', ')}`}.`;
    },
    nextStep: 'Compare with another reward, de-biased questions, or a start that reasons well.',
  },
];

export function newAlertState(): AlertState {
  return { active: [], recent: Object.fromEntries(Object.keys(floors).map((name) => [name, []])) };
}

/** Returns the alerts that start at this step, and the new state. */
export function watchStep(record: StepRecord, state: AlertState): { alerts: Alert[]; state: AlertState } {
  const { leastCutOff } = state;
  const raised = raise(stepRules, { record, recent: state.recent, leastCutOff }, record.step, state);
  const recent = Object.fromEntries(
    Object.keys(floors).map((name) => [
      name,
      [...(state.recent[name] ?? []), ...valuesOf(record, name)].slice(-WINDOW),
    ]),
  );
  const cutOff = [leastCutOff ?? [], valuesOf(record, CUT_OFF)].flat();
  return {
    alerts: raised.alerts,
    state: { ...raised.state, recent, ...(cutOff.length > 0 && { leastCutOff: Math.min(...cutOff) }) },
  };
}

/** Returns the alerts of an evaluation's verdict, and the new state. */
export function watchEvaluation(
  verdict: Verdict,
  ending: Ending,
  state: AlertState,
): { alerts: Alert[]; state: AlertState } {
  const raised = raise(evalRules, { verdict, ending }, verdict.step, state);
  return { alerts: raised.alerts, state: { ...state, ...raised.state } };
}

/** Minimum fraction of answers in the required format. Below it, a format reward has nothing to reinforce. */
const LEAST_FORMAT = 0.05;
/** Characters of an answer that an alert quotes. */
const QUOTED = 200;

type Judged = Pick<Sample, 'completion' | 'reward'> & Partial<Pick<Sample, 'finished' | 'group'>>;

/**
 * Checks the rewards of the first RL step, before its update.
 *
 * @param step - greater than 1 in a run with a warm start
 * @param algorithm - may clamp rewards
 * @returns null if the rewards distinguish good answers from bad ones
 */
export function noSignalAlert(
  samples: readonly Judged[],
  step: number,
  algorithm: AlgorithmSettings,
): Alert | null {
  const { length: count } = samples;
  const resolved = resolveAlgorithm(algorithm);
  const { name, baseline } = resolved;
  const totals = samples.map(({ reward }) => reward.total);
  const [least, most] = [Math.min(...totals), Math.max(...totals)];
  const [counted, limit] = [least, most].map((total) => countedReward(total, resolved));
  const whole = samples.filter(({ reward }) => reward.formatHolds).length;
  const lacksFormat = whole < LEAST_FORMAT * count;
  const isAlone = new Set(samples.map(({ group }) => group)).size === count;
  let found: string;
  let nextStep = cureOf(samples, lacksFormat, step);
  if (count === 1 || (isAlone && baseline !== 'none')) {
    found = `each question of the first step on rewards has one answer, and ${name} has none to compare it with`;
    nextStep = `Take more answers to a question (rollout.samplesPerPrompt), or ${baseline === 'none' ? 'more questions in a step (rollout.promptsPerStep)' : 'choose an algorithm that compares with the whole batch, such as reinforce++'}.`;
  } else if (least === most) {
    found = `all ${count} answers of the first step on rewards earned the same (${threeDigits(least)})`;
  } else if (counted === limit) {
    found = `${name} counts a reward beyond ${limit} as ${limit}, and all ${count} answers of the first step on rewards earned ${threeDigits(least)} to ${threeDigits(most)}`;
    nextStep =
      'Scale the reward to between -10 and 10, or choose an algorithm that compares the answers to a question, such as reinforce++-baseline or grpo.';
  } else if (lacksFormat && hasPart(samples[0], 'format')) {
    found = `${whole} of ${count} answers of the first step on rewards have the asked format`;
  } else return null;
  const quotes = [...new Set([samples[0], samples[count - 1]])].map(
    ({ completion }) => `“${completion.trim().replace(/\s+/g, ' ').slice(0, QUOTED)}”`,
  );
  const quoted = `${quotes.length === 1 ? 'The answer' : 'Two of the answers'}: ${quotes.join(' and ')}`;
  const cause = `The reward has no signal: ${found}. ${quoted}.`;
  return { step, code: 'rl/no-signal', severity: 'error', cause, nextStep };
}

/** Returns the first change to try. */
function cureOf(samples: readonly Judged[], lacksFormat: boolean, step: number): string {
  const [first] = samples;
  if (hasPart(first, 'custom')) return 'Correct the reward function, so that better answers earn more.';
  if (!lacksFormat) {
    const isMastered = samples.every(({ reward }) => reward.correct);
    return `Choose ${isMastered ? 'a harder' : 'an easier'} task: other orders, or another data set.`;
  }
  if (samples.every(({ finished }) => finished === false))
    return step > 1
      ? 'Allow longer answers, since all were cut off (rollout.maxNewTokens), or lower the learning rate of the warm start if answers ended before it (warmStart.learningRate).'
      : 'Allow longer answers, since all were cut off (rollout.maxNewTokens).';
  // Without a simulated world there are no gold traces to learn from.
  if (first.reward.trace === null)
    return 'Change the prompt so that it shows the format (rollout.instruction).';
  return step > 1
    ? 'Lengthen the warm start (warmStart.updates).'
    : 'Begin with a warm start on gold traces (warmStart.updates, for example 60).';
}

function hasPart({ reward }: Judged, part: string): boolean {
  return reward.parts.some(({ name }) => name === part);
}

/** @param isUpdated - false before the first update of the run, on which no setting of the optimizer has an effect */
export function notFiniteStep(isUpdated: boolean): string {
  return isUpdated
    ? 'Start a new run with a lower learning rate or a tighter gradient clip; this one goes on with its own settings only.'
    : 'No update has changed the weights yet: they, or the adapter, hold numbers that are not finite. Take other weights, or another backend.';
}

/** Alert for a non-finite loss or gradient, which ends the run. */
export function notFiniteAlert(step: number, isUpdated: boolean): Alert {
  return {
    step,
    code: 'rl/not-finite',
    severity: 'error',
    cause:
      'The loss or its gradient is not a finite number. The parameters are those of the last good update.',
    nextStep: notFiniteStep(isUpdated),
  };
}

function raise<Facts>(
  rules: readonly Rule<Facts>[],
  facts: Facts,
  step: number,
  { active, last = {} }: AlertState,
): { alerts: Alert[]; state: Pick<AlertState, 'active' | 'last'> } {
  const isActive = ({ code }: Rule<Facts>): boolean => active.includes(code);
  const holding = rules.filter((rule) => rule.holds(facts));
  const raised = holding.filter((rule) => !isActive(rule) && step >= SPACING * (last[rule.code] ?? 0));
  const lasting = rules.filter(
    (rule) =>
      raised.includes(rule) ||
      (isActive(rule) && (holding.includes(rule) || rule.hasRecovered?.(facts) === false)),
  );
  const codes = rules.map(({ code }) => code);
  return {
    alerts: raised.map((rule) => {
      const { code, severity, nextStep } = rule;
      return { step, code, severity, cause: rule.cause(facts), nextStep };
    }),
    state: {
      active: [...active.filter((code) => !codes.includes(code)), ...lasting.map(({ code }) => code)],
      last: { ...last, ...Object.fromEntries(raised.map(({ code }) => [code, step])) },
    },
  };
}

function isMastered(record: StepRecord): boolean {
  return record.accuracy >= MASTERED;
}

/** Empty if the step lacks the metric: `kl` requires a reference model. */
function valuesOf(record: StepRecord, metric: string): number[] {
  return metric in record ? [record[metric]] : [];
}

function isAllCutOff({ record }: StepFacts): boolean {
  return record[CUT_OFF] === 1;
}

/** True if most responses of an earlier step ended. */
function hasEnded({ leastCutOff }: StepFacts): boolean {
  return leastCutOff !== undefined && leastCutOff <= MOST_CUT_OFF;
}

function isSpike(metric: string, { record, recent }: StepFacts): boolean {
  const before = recent[metric] ?? [];
  return (
    before.length >= LEAST_HISTORY &&
    valuesOf(record, metric).some(
      (value) =>
        value >= floors[metric] &&
        value > mean(before) + 3 * deviation(before) &&
        value > 2 * Math.max(...before.map(Math.abs)),
    )
  );
}

function threeDigits(value: number): string {
  return String(Number(value.toPrecision(3)));
}
