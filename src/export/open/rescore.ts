/**
 * Completions of a cluster's run under Marble's own reward: rollouts to read, the metrics that only Marble has, and, of the
 * answers to val.parquet, evaluations with their verdicts.
 *
 * A log holds text and no token ids. Lengths are those of the text read by the run's own tokenizer, and a completion
 * shorter than the limit counts as finished.
 */
import { MarbleError } from '../../base/error';
import type { Tokenizer } from '../../model/tokenizer/tokenizer';
import { score } from '../../reward/score';
import { openItems, type EvalSuite, type ImportedItems } from '../../rl/data';
import { reportOf } from '../../rl/evaluate/evaluate';
import { toRollout, withLengthTerms } from '../../rl/rollout';
import type { RunConfig } from '../../run/config/config';
import type { EvalReport, Evaluation } from '../../run/record/evaluation';
import { sampleMetrics } from '../../run/record/metrics';
import { fromOutcomeTable } from '../../run/verdict/outcome-table';
import type { Rollout } from '../../run/record/rollout-record';
import type { Sample } from '../../run/record/sample';
import { verdictOf } from '../../run/verdict/verdict';
import type { Item } from '../../tom/item';
import { badFile, type Named } from '../cluster/cluster-files';
import { readCompletions, type CompletionRow } from './completion-rows';

export interface Rescored {
  /** By step, ascending. */
  rollouts: Rollout[][];
  metrics: Map<number, Record<string, number>>;
  evals: Evaluation[];
  /** Completions whose score is logged, and those of them that earn the same here. */
  scored: number;
  agreeing: number;
}

/** Of the 32-bit numbers that a trainer keeps rewards in. */
const ROUNDING = 1e-5;

/** @throws MarbleError `export/bad-log`, and those of `openItems` */
export async function rescore(
  files: readonly Named[],
  config: RunConfig,
  imported: ImportedItems,
  tokenizer: Tokenizer,
): Promise<Rescored> {
  // Other tasks are not in an export.
  const evaluation = { ...config.evaluation, imported: [], taskItems: 0 };
  const source = openItems({ ...config, evaluation }, imported);
  const { suite } = source;
  const found: Rescored = { rollouts: [], metrics: new Map(), evals: [], scored: 0, agreeing: 0 };
  const sampled = new Map<number, CompletionRow[]>();
  const answered = new Map<number, CompletionRow[]>();
  for (const file of files) {
    for (const row of await readCompletions(file)) {
      const steps = row.split === 'train' ? sampled : answered;
      steps.set(row.step, [...(steps.get(row.step) ?? []), row]);
    }
  }
  const scoreRow = (row: CompletionRow, item: Item | undefined, group: number, sample: number): Sample => {
    const made = sampleOf(row, askedIn(row, item), { group, sample }, config, tokenizer);
    if (row.score !== null) {
      found.scored += 1;
      found.agreeing += Number(Math.abs(made.reward.total - row.score) < ROUNDING);
    }
    return made;
  };
  for (const [step, rows] of ascending(sampled)) {
    const groups = [...new Set(rows.map(({ index }) => index))];
    const items = new Map(groups.map((index) => [index, source.training(index, 1)[0]]));
    const counts = new Map<number, number>();
    const samples = rows.map((row) => {
      const count = counts.get(row.index) ?? 0;
      counts.set(row.index, count + 1);
      return scoreRow(row, items.get(row.index), groups.indexOf(row.index), count);
    });
    found.rollouts.push(
      samples.map((sample, at) => toRollout(sample, step, rows[at].prompt, rows[at].advantage ?? 0)),
    );
    found.metrics.set(step, sampleMetrics(samples));
  }
  const reports = ascending(answered).map(([step, rows]) => {
    const inOrder = leading(rows);
    const samples = inOrder.map((row) => scoreRow(row, suite.items[row.index], row.index, 0));
    return reportOn(suite, samples, inOrder, step);
  });
  found.evals = judged(reports, config);
  return found;
}

function ascending(steps: ReadonlyMap<number, CompletionRow[]>): [number, CompletionRow[]][] {
  return [...steps].sort(([one], [other]) => one - other);
}

/** One answer each to the first items, as many as have one without a gap. */
function leading(rows: readonly CompletionRow[]): CompletionRow[] {
  const byIndex = new Map(rows.map((row) => [row.index, row]));
  const first: CompletionRow[] = [];
  for (let row = byIndex.get(0); row !== undefined; row = byIndex.get(first.length)) first.push(row);
  return first;
}

/** The row's item, if it is what the prompt asks. */
function askedIn({ file, place, split, index, prompt }: CompletionRow, item: Item | undefined): Item {
  const plain = (text: string): string => text.replace(/\s+/g, '');
  if (item !== undefined && plain(prompt).includes(plain(item.question)) && plain(prompt).includes(plain(item.story)))
    return item; // prettier-ignore
  throw badFile(
    file,
    `${place}: its prompt is not the question of row ${split} ${index}`,
    'completions of the run that link.txt names, on its own data',
  );
}

function sampleOf(
  { completion, file, place }: CompletionRow,
  item: Item,
  at: Pick<Sample, 'group' | 'sample'>,
  { rollout: { maxNewTokens }, reward: asked, algorithm }: RunConfig,
  tokenizer: Tokenizer,
): Sample {
  const encode = (text: string): number[] => {
    try {
      return tokenizer.encode(text);
    } catch (thrown) {
      if (!(thrown instanceof MarbleError)) throw thrown;
      throw badFile(file, `${place}: its completion cannot be tokenised (${thrown.message})`, 'text that the run’s own tokenizer has written'); // prettier-ignore
    }
  };
  const tokens = encode(completion);
  const finished = tokens.length < maxNewTokens;
  // The token that ended it is not in the text.
  const response = finished ? [...tokens, tokenizer.stopIds[0] ?? 0] : tokens.slice(0, maxNewTokens);
  const reward = score(completion, item, asked);
  return {
    item,
    ...at,
    prompt: [],
    response,
    samplerLogprobs: new Float32Array(),
    finished,
    completion,
    reward: withLengthTerms({ reward, response }, maxNewTokens, algorithm),
    thinkTokens: encode(reward.think).length,
  };
}

function reportOn(
  suite: EvalSuite,
  samples: readonly Sample[],
  rows: readonly CompletionRow[],
  step: number,
): EvalReport {
  const fixed = { ...suite, items: suite.items.slice(0, samples.length), heldOut: {}, tasks: [] };
  const report = reportOf(fixed, samples, step, (sample) => rows[sample.group].prompt);
  // Nobody asked the model for it.
  return { ...report, closeThinkProbability: NaN };
}

/** Each evaluation against that of step 0, on the items that both have answered; the last one counts. */
function judged(reports: readonly EvalReport[], { evaluation: { seed } }: RunConfig): Evaluation[] {
  const [start] = reports;
  return reports.map((report, at): Evaluation => {
    if (at === 0 || start.step !== 0) return { report };
    const [before, now] = [start, report].map(({ outcomes }) => fromOutcomeTable(outcomes!));
    const both = Math.min(before.length, now.length);
    if (both === 0) return { report };
    const provisional = at < reports.length - 1;
    return { report, verdict: verdictOf(before.slice(0, both), now.slice(0, both), { step: report.step, provisional, seed }) }; // prettier-ignore
  });
}
