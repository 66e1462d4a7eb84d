/**
 * Is the reward going up because the model reasons better, or because its reasoning collapses? Shorter alone is not
 * collapse. Against step 0 on the same fixed greedy set, all three must hold:
 *
 *   think length <= 50 %      accuracy not lower      trace validity <= 50 %
 *
 * The forecast asks the same before training: force the think block shut, force a full trace open, and compare. Where
 * skipping the trace costs nothing, the gradient has no reason to keep it. The earliest sign while training is the
 * probability that the block closes at once.
 *
 * Left out: a test of significance. The conditions are against a fixed set of items, and the intervals stand beside
 * every accuracy for the reader to judge.
 */
import type { Policy } from '../model/policy';
import { wilson, type Accuracy } from '../reward/accuracy';
import type { Item } from '../tom/item';
import type { EvalSuite } from './data';
import type { CollapseReport, EvalReport, Forecast } from './events';
import { mapped } from './progress';
import { completeFrom, tokenizerOf } from './rollout';

const HALF = 0.5;
/**
 * The early warning: the block closes at once this often, and at least twice as often as at step 0. At a half the greedy
 * answer has already turned, and a warning then has come too late in every run that was made.
 */
const CLOSES_AT_ONCE = 0.25;

/** @param start the report of step 0, @param now a later one on the same suite */
export function detectCollapse(start: EvalReport, now: EvalReport): CollapseReport {
  const lengthRatio = ratio(now.meanThinkLength, start.meanThinkLength);
  const validityRatio = ratio(now.traceValidity, start.traceValidity);
  const accuracyChange = now.overall.accuracy - start.overall.accuracy;
  const conditions = {
    shorter: lengthRatio <= HALF,
    notLessAccurate: accuracyChange >= 0,
    lessValid: validityRatio <= HALF,
  };
  return {
    step: now.step,
    lengthRatio,
    accuracyChange,
    validityRatio,
    conditions,
    collapsed: conditions.shorter && conditions.notLessAccurate && conditions.lessValid,
  };
}

/**
 * The opposite of a collapse: the answers have improved by more than chance allows (the two 95 % intervals are apart),
 * what is said on the way there is at least as true as at the start, and the shortcut cannot be the reason, because
 * accuracy did not fall where the shortcut is wrong.
 */
export function reasonsBetter(start: EvalReport, now: EvalReport): boolean {
  return (
    now.overall.low > start.overall.high &&
    now.traceValidity > 0 &&
    now.traceValidity >= start.traceValidity &&
    now.shortcutWrong.accuracy >= start.shortcutWrong.accuracy
  );
}

/** Whether the think block has begun to close at once, which comes before the mean length falls. */
export function isEarlyWarning(start: EvalReport, now: EvalReport): boolean {
  return (
    now.closeThinkProbability >= CLOSES_AT_ONCE &&
    now.closeThinkProbability >= 2 * start.closeThinkProbability
  );
}

/** What was nothing at step 0 cannot have shrunk. */
function ratio(now: number, start: number): number {
  return start === 0 ? 1 : now / start;
}

/**
 * Accuracy with an empty think block against accuracy of the policy's own full trace, whose opening is forced.
 *
 * @yields the share of the work done, so that a trainer can pause in between
 * @returns null where no item has gold traces, and so no opening to force
 */
export async function* forecastCollapse(
  policy: Policy,
  suite: EvalSuite,
  signal?: AbortSignal,
): AsyncGenerator<number, Forecast | null, void> {
  const openings = suite.items
    .map((item) => ({ item, opening: fullTraceOpening(policy, item) }))
    .filter(({ opening }) => opening.length > 0);
  if (openings.length === 0) return null;
  const close = tokenizerOf(policy).encode('</think>');
  const shut = openings.map(({ item }) => ({ item, forced: close }));
  const open = openings.map(({ item, opening }) => ({ item, forced: opening }));
  const emptyThink = accuracyOf(
    yield* mapped(completeFrom(policy, shut, suite, signal), (share) => share / 2),
  );
  const fullTrace = accuracyOf(
    yield* mapped(completeFrom(policy, open, suite, signal), (share) => (1 + share) / 2),
  );
  return { emptyThink, fullTrace, collapseExpected: emptyThink.accuracy >= fullTrace.accuracy };
}

function accuracyOf(correct: readonly boolean[]): Accuracy {
  return wilson(correct.filter(Boolean).length, correct.length);
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
