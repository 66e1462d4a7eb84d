/**
 * The forecast, from the start alone: reinforcement learning moves towards what is paid better, so the start is sampled
 * with its think block forced empty and with a full trace forced open, and the rewards are compared. Reward and
 * temperature are the run's own; the KL penalty is 0 at the start.
 *
 * It can be wrong, and one way is known: it does not see how fast either way of answering can improve.
 */
import { resolveAlgorithm } from '../run/algorithm';
import type { PassProgress, Policy } from '../model/policy';
import type { Item } from '../tom/item';
import type { RunConfig } from '../run/config';
import type { EvalSuite } from './data';
import type { Forecast } from '../run/evaluation';
import { collapseProbability, FITTED_REWARD } from '../run/forecast-model';
import { completeFrom, tokenizerOf, withLengthTerms, type Continued } from './rollout';
import { mean, meanMargin } from '../run/statistics';

/** Items at most; a run with a smaller evaluation set takes all of it. */
const ITEMS = 1000;
/** Streams of the sampler that neither training nor evaluation draws from. */
const EMPTY_STREAM = 2 ** 31 + 2 ** 24;
const FULL_STREAM = 2 ** 31 + 2 ** 25;

/**
 * @param onProgress is told the fraction of the work done
 * @returns null where fewer than two items have gold traces, and so an opening to force
 */
export async function forecastCollapse(
  policy: Policy,
  suite: EvalSuite,
  { rollout, algorithm, evaluation }: Pick<RunConfig, 'rollout' | 'algorithm' | 'evaluation'>,
  onProgress?: PassProgress,
): Promise<Forecast | null> {
  const openings = suite.items
    .slice(0, ITEMS)
    .map((item) => ({ item, opening: fullTraceOpening(policy, item) }))
    .filter(({ opening }) => opening.length > 0);
  if (openings.length < 2) return null;
  const { maxNewTokens, temperature } = rollout;
  const settings = resolveAlgorithm(algorithm);
  const options = { maxNewTokens, reward: suite.reward, temperature, seed: evaluation.seed };
  const rewardsOf = (continued: readonly Continued[]): number[] =>
    continued.map((sample) => withLengthTerms(sample, maxNewTokens, settings).total);
  const close = tokenizerOf(policy).encode('</think>');
  const shut = openings.map(({ item }) => ({ item, forced: close }));
  const open = openings.map(({ item, opening }) => ({ item, forced: opening }));
  const half = (part: number) => async (fraction: number) => onProgress?.((part + fraction) / 2);
  const empty = rewardsOf(
    await completeFrom(policy, shut, { ...options, stream: EMPTY_STREAM, onProgress: half(0) }),
  );
  const full = rewardsOf(
    await completeFrom(policy, open, { ...options, stream: FULL_STREAM, onProgress: half(1) }),
  );
  const differences = empty.map((value, index) => value - full[index]);
  const value = mean(differences);
  const margin = meanMargin(differences) ?? 0;
  return {
    count: openings.length,
    empty: mean(empty),
    full: mean(full),
    difference: { value, low: value - margin, high: value + margin },
    probability: suite.reward.preset === FITTED_REWARD ? collapseProbability(value) : null,
  };
}

/** The fewest first tokens of the full gold trace that no other verbosity begins with. */
function fullTraceOpening(policy: Policy, item: Item): number[] {
  const { full, ...others } = item.traces ?? {};
  if (full === undefined) return [];
  const tokenizer = tokenizerOf(policy);
  const ids = tokenizer.encode(full);
  const rivals = Object.values(others).map((trace) => tokenizer.encode(trace));
  const shared = (rival: number[]): number => {
    const first = ids.findIndex((id, position) => rival[position] !== id);
    return first === -1 ? ids.length : first;
  };
  return ids.slice(0, Math.max(0, ...rivals.map(shared)) + 1);
}
