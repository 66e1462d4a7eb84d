/**
 * Evaluation on a fixed set, greedily, so that two reports differ by the policy alone: accuracy with a 95 %
 * interval, by order, where the shortcut is right and where it is wrong; lengths; and what the traces are worth against
 * the simulated world.
 *
 * Left out: sampled accuracy (pass@k), which measures the temperature as well.
 */
import type { PassProgress, Policy } from '../model/policy';
import { isApart, isShortcutRight, type Item } from '../tom/item';
import type { EvalSuite } from './data';
import { wilson, type Accuracy } from '../reward/accuracy';
import { suiteRows } from '../reward/suites';
import type { EvalReport } from './events';
import { reporting, whole } from './progress';
import { mean } from './statistics';
import {
  encodePrompt,
  evaluationRows,
  hasFalseStatement,
  sampleItems,
  tokenizerOf,
  toRollout,
  type Sample,
} from './rollout';

export interface EvalOptions {
  /** Steps of training done, noted in the report. */
  step?: number;
  signal?: AbortSignal;
}

/** Completions kept in the report. */
const SHOWN = 4;

/** The whole of `evaluateInParts` at once. */
export function evaluate(policy: Policy, suite: EvalSuite, options: EvalOptions = {}): Promise<EvalReport> {
  return whole(evaluateInParts(policy, suite, options));
}

/**
 * Answers every item of the suite greedily.
 *
 * @yields the share of the suite done, so that a trainer can pause in between
 * @throws MarbleError what `encodePrompt` and `Policy.generate` throw
 */
export async function* evaluateInParts(
  policy: Policy,
  suite: EvalSuite,
  options: EvalOptions = {},
): AsyncGenerator<number, EvalReport, void> {
  const all = [...suite.items, ...Object.values(suite.heldOut).flat(), ...suite.tasks];
  const samples: Sample[] = [];
  const closing: number[] = [];
  const rows = evaluationRows(policy, suite.maxNewTokens);
  for (let start = 0; start < all.length; start += rows) {
    const items = all.slice(start, start + rows);
    const shareAt = (decoded: number): number =>
      Math.min(1, (start + (rows * decoded) / suite.maxNewTokens) / all.length);
    const work = reporting((report) =>
      sampleItems(
        policy,
        items,
        {
          samplesPerPrompt: 1,
          maxNewTokens: suite.maxNewTokens,
          temperature: 0,
          seed: 0,
          signal: options.signal,
          onProgress: (decoded) => report(shareAt(decoded)),
        },
        suite.reward,
      ),
    );
    samples.push(...(yield* work));
    const decoded = shareAt(suite.maxNewTokens);
    yield decoded;
    const probabilities = reporting((report) =>
      closeThinkProbabilities(policy, items, suite.maxNewTokens, () => report(decoded)),
    );
    closing.push(...(yield* probabilities));
    yield decoded;
  }
  return report(suite, samples, closing, options.step ?? 0, (ids) => tokenizerOf(policy).decode(ids));
}

/** Probability of `</think>` right after the prompt. */
async function closeThinkProbabilities(
  policy: Policy,
  items: readonly Item[],
  maxNewTokens: number,
  onProgress: PassProgress,
): Promise<number[]> {
  const close = tokenizerOf(policy).encode('</think>');
  const prompts = items.map((item) => encodePrompt(policy, item, maxNewTokens));
  const { logprobs } = await policy.logprobs(
    prompts.map((prompt) => [...prompt, ...close]),
    prompts.map((prompt) => prompt.length),
    { onProgress },
  );
  return logprobs.map((row) => Math.exp(row.reduce((sum, value) => sum + value, 0)));
}

function report(
  suite: EvalSuite,
  samples: readonly Sample[],
  closing: readonly number[],
  step: number,
  decode: (ids: number[]) => string,
): EvalReport {
  const main = samples.slice(0, suite.items.length);
  const heldOut: Record<string, Accuracy> = {};
  let start = suite.items.length;
  for (const [name, items] of Object.entries(suite.heldOut)) {
    heldOut[name] = accuracyOf(samples.slice(start, start + items.length));
    start += items.length;
  }
  const own = samples.slice(0, start);
  const plain = own.filter(({ item }) => !isApart(item));
  const orders = [...new Set(plain.map(({ item }) => item.order))].sort((a, b) => a - b);
  const right = main.filter(({ item }) => isShortcutRight(item) === true);
  const known = main.filter(({ item }) => isShortcutRight(item) !== null);
  const traced = main.filter(({ reward }) => reward.trace !== null);
  return {
    step,
    overall: accuracyOf(main),
    byOrder: Object.fromEntries(
      orders.map((order) => [String(order), accuracyOf(plain.filter(({ item }) => item.order === order))]),
    ),
    heldOut,
    shortcutRight: accuracyOf(right),
    shortcutWrong: accuracyOf(known.filter(({ item }) => isShortcutRight(item) === false)),
    shortcutLine: known.length === 0 ? 0 : right.length / known.length,
    formatRate: mean(main.map(({ reward }) => Number(reward.formatHolds))),
    meanLength: mean(main.map(({ response }) => response.length)),
    meanThinkLength: mean(main.map(({ thinkTokens }) => thinkTokens)),
    emptyThinkFraction: mean(main.map(({ reward }) => Number(reward.think === ''))),
    traceValidity: mean(traced.map(({ reward }) => reward.trace?.validity ?? 0)),
    traceCoverage: mean(traced.map(({ reward }) => reward.trace?.coverage ?? 0)),
    rightAnswerWrongTrace: mean(traced.filter(({ reward }) => reward.correct).map(hasFalseStatement)),
    closeThinkProbability: mean(closing.slice(0, main.length)),
    samples: main.slice(0, SHOWN).map((sample) => toRollout(sample, step, decode(sample.prompt), 0)),
    rows: suiteRows(
      samples.map(({ item, reward }) => ({ item, answer: reward.answer })),
      suite.isTrained,
    ),
  };
}

function accuracyOf(samples: readonly Sample[]): Accuracy {
  return wilson(samples.filter(({ reward }) => reward.correct).length, samples.length);
}
