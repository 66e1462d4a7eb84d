/**
 * Greedy evaluation on a fixed set. Two reports differ only in the policy. A report has accuracy with a 95 % interval,
 * overall, by order, on easy and hard questions; lengths; validity of the traces against the simulated
 * world; and the outcome of each item, by which `verdict.ts` pairs two evaluations.
 *
 * At the start and the end of a run, the same items are also sampled once at the run's temperature, which is the
 * distribution that training optimises.
 *
 * Each batch of prompts is prefilled once for all uses. Its KV cache is not kept for the next evaluation, because the
 * weights differ by then.
 */
import type { GenerateOptions, PassProgress, Policy } from '../../model/policy';
import { checkKeys } from '../../base/known-keys';
import { isApart, isEasy, isHard } from '../../tom/item';
import { wilson, type Accuracy } from '../../reward/accuracy';
import type { CustomReward } from '../../reward/custom';
import { score } from '../../reward/score';
import { suiteRows } from '../../reward/suites';
import type { EvalSuite } from '../data';
import type { EvalReport, SampledReport } from '../../run/record/evaluation';
import { toOutcomeTable, outcomeOf, type ItemOutcome } from '../../run/verdict/outcomes';
import { hasFalseStatement, hasReadStatement, type Sample } from '../../run/record/sample';
import { evaluationRows } from '../../base/rows-at-once';
import { mean } from '../../base/statistics';
import { suitePrompts, decodedLengths, sampleItems, tokenizerOf, toRollout } from '../rollout';

export interface EvalOptions {
  /** Number of training steps, recorded in the report. */
  step?: number;
  /** An intermediate evaluation, which uses only the first `lookItems` of the fixed set. */
  isLook?: boolean;
  /** Also samples the fixed set once at this temperature. */
  ends?: { temperature: number; seed: number };
  /** Replaces the totals of the suite's reward; does not change the scoring of answers. */
  reward?: CustomReward;
  /** Progress of the whole evaluation. If it rejects, the evaluation ends with its error. */
  onProgress?: PassProgress;
}

/** Number of completions in the report: enough to see some answers become right and others wrong. */
const SHOWN = 24;
/** First sampler stream of evaluations; training steps use lower ones (`gather.ts`). */
const SAMPLED_STREAM = 2 ** 31;

/**
 * Answers every item of the suite greedily.
 *
 * @returns accuracies, lengths and figures of the traces, by set, order and task
 * @throws MarbleError those of `suitePrompts` and `Policy.generate`
 */
export async function evaluate(
  policy: Policy,
  suite: EvalSuite,
  options: EvalOptions = {},
): Promise<EvalReport> {
  checkKeys('evaluate', options, { step: true, isLook: true, ends: true, reward: true, onProgress: true });
  const { isLook = false, ends, onProgress, step = 0, reward: custom } = options;
  const fixed = isLook ? suite.items.slice(0, suite.lookItems) : suite.items;
  const all = [...fixed, ...Object.values(suite.heldOut).flat(), ...suite.hard, ...suite.tasks];
  const { maxNewTokens, reward } = suite;
  const samples: Sample[] = [];
  const sampled: Sample[] = [];
  const total = all.length + (ends === undefined ? 0 : fixed.length);
  const done = (): number => samples.length + sampled.length;
  const tick = async (decoded: number, rows: number): Promise<void> =>
    onProgress?.((done() + (rows * decoded) / maxNewTokens) / total);
  const prompts = suitePrompts(policy, { ...suite, items: fixed });
  const rows = evaluationRows(policy.config, decodedLengths(prompts, maxNewTokens));
  for (let start = 0; start < all.length; start += rows) {
    const items = all.slice(start, start + rows);
    const batch = prompts.slice(start, start + rows);
    const fixedHere = Math.max(0, Math.min(rows, fixed.length - start));
    const pause = (): Promise<void> => tick(0, 0);
    const read = await policy.readPrompts(batch, { onProgress: pause });
    const answer = (count: number, drawn: Pick<GenerateOptions, 'temperature' | 'seed' | 'stream'>) =>
      sampleItems(
        policy,
        items.slice(0, count),
        { ...drawn, samplesPerPrompt: 1, maxNewTokens, read, onProgress: (decoded) => tick(decoded, count) },
        reward,
        custom,
      );
    try {
      await pause();
      samples.push(...(await answer(items.length, { temperature: 0, seed: 0 })));
      await pause();
      if (ends === undefined || fixedHere === 0) continue;
      sampled.push(...(await answer(fixedHere, { ...ends, stream: SAMPLED_STREAM + start })));
      await pause();
    } finally {
      read.dispose();
    }
  }
  const promptOf = ({ prompt }: Sample): string => tokenizerOf(policy).decode(prompt);
  const greedy = {
    ...reportOf({ ...suite, items: fixed }, samples, step, promptOf),
    ...(custom && { customReward: mean(samples.slice(0, fixed.length).map((one) => one.reward.total)) }),
  };
  if (ends === undefined) return greedy;
  const answered = sampled.map(({ item: { order }, reward: { correct } }) => ({ order, correct }));
  return {
    ...greedy,
    sampled: {
      temperature: ends.temperature,
      ...byBelief(answered),
      correct: answered.map(({ correct }) => Number(correct)).join(''),
    },
  };
}

/** Accuracy on belief questions and on factual questions. */
function byBelief(
  answered: readonly { order: number; correct: boolean }[],
): Pick<SampledReport, 'belief' | 'factual'> {
  const of = (part: typeof answered): Accuracy =>
    wilson(part.filter(({ correct }) => correct).length, part.length);
  return {
    belief: of(answered.filter(({ order }) => order > 0)),
    factual: of(answered.filter(({ order }) => order === 0)),
  };
}

/** Builds the report from answers to the suite's fixed set, its held-out sets, its hard questions and its tasks, in this order. */
function reportOf(
  suite: EvalSuite,
  samples: readonly Sample[],
  step: number,
  promptOf: (sample: Sample) => string,
): EvalReport {
  const fixed = suite.items.length;
  const main = samples.slice(0, fixed);
  const outcomes = main.map(outcomeOf);
  const heldOut: Record<string, Accuracy> = {};
  let start = fixed;
  for (const [name, items] of Object.entries(suite.heldOut)) {
    heldOut[name] = accuracyOf(samples.slice(start, start + items.length));
    start += items.length;
  }
  const scored = samples.slice(0, start);
  const tasks = samples.slice(start + suite.hard.length);
  const apart = samples.slice(start, start + suite.hard.length);
  const plain = scored.filter(({ item }) => !isApart(item));
  const orders = [...new Set(plain.map(({ item }) => item.order))].sort((a, b) => a - b);
  const easy = main.filter(({ item }) => isEasy(item) === true);
  const known = main.filter(({ item }) => isEasy(item) !== null);
  const hard = [...known, ...apart].filter(({ item }) => isHard(item));
  const traced = main.filter(({ reward }) => reward.trace !== null);
  return {
    step,
    overall: accuracyOf(main),
    ...byBelief(outcomes),
    outcomes: toOutcomeTable(outcomes),
    ...(apart.length > 0 && { hard: toOutcomeTable(apart.map(outcomeOf)) }),
    byOrder: Object.fromEntries(
      orders.map((order) => [String(order), accuracyOf(plain.filter(({ item }) => item.order === order))]),
    ),
    heldOut,
    shortcutRight: accuracyOf(easy),
    shortcutWrong: accuracyOf(hard),
    shortcutLine: known.length === 0 ? 0 : easy.length / known.length,
    formatRate: mean(main.map(({ reward }) => Number(reward.formatHolds))),
    meanLength: mean(main.map(({ response }) => response.length)),
    meanThinkLength: mean(main.map(({ thinkTokens }) => thinkTokens)),
    emptyThinkFraction: mean(main.map(({ reward }) => Number(reward.think === ''))),
    traceValidity: traced.some(hasReadStatement)
      ? mean(traced.map(({ reward }) => reward.trace?.validity ?? 0))
      : null,
    traceCoverage: mean(traced.map(({ reward }) => reward.trace?.coverage ?? 0)),
    faithful: faithfulFraction(outcomes),
    faithfulWrong: faithfulFraction(hard.map(outcomeOf)),
    rightAnswerWrongTrace: mean(traced.filter(({ reward }) => reward.correct).map(hasFalseStatement)),
    samples: balancedSamples([...main.slice(0, suite.lookItems), ...apart]).map((sample) =>
      toRollout(sample, step, promptOf(sample), 0),
    ),
    rows: suiteRows(
      [...scored, ...tasks].map(({ item, reward }) => ({ item, answer: reward.answer })),
      suite.isTrained,
    ),
  };
}

/** The report of empty answers. It has all names, items and rows that a report of the suite can have. */
export function unansweredReport(suite: EvalSuite): EvalReport {
  const { items, heldOut, hard, tasks, reward } = suite;
  const asked = [...items, ...Object.values(heldOut).flat(), ...hard, ...tasks];
  const samples = asked.map((item, group): Sample => ({
    ...{ item, group, sample: 0, finished: true, completion: '', thinkTokens: 0 },
    ...{ prompt: [], response: [], samplerLogprobs: new Float32Array() },
    reward: score('', item, reward),
  }));
  return reportOf(suite, samples, 0, ({ item: { story, question } }) => story + question);
}

/**
 * A balanced selection: half are hard, if there are enough, because only these distinguish reasoning from the shortcut.
 */
function balancedSamples(samples: readonly Sample[]): Sample[] {
  const hard = samples.filter(({ item }) => isHard(item)).slice(0, SHOWN / 2);
  const others = samples.filter((sample) => !hard.includes(sample)).slice(0, SHOWN - hard.length);
  return samples.filter((sample) => hard.includes(sample) || others.includes(sample));
}

/** Fraction of the belief questions with a simulated world whose trace is faithful. */
function faithfulFraction(outcomes: readonly ItemOutcome[]): number {
  const judged = outcomes.filter(({ order, trace }) => order > 0 && trace !== null);
  return mean(judged.map(({ trace }) => Number(trace === 'faithful')));
}

function accuracyOf(samples: readonly Sample[]): Accuracy {
  return wilson(samples.filter(({ reward }) => reward.correct).length, samples.length);
}
