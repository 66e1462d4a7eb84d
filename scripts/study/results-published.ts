/** Section of docs/results.md on the published items (H7 again), from docs/study-2/hitom.jsonl. */
import { mean } from '../../src/base/statistics';
import { fromOutcomeTable } from '../../src/run/verdict/outcome-table';
import type { ItemOutcome } from '../../src/run/verdict/outcomes';
import { verdictOf } from '../../src/run/verdict/verdict';
import { change } from './format';
import { fractionOf, jsonLines, type Measurement } from './lines';

/** Fields of a line of docs/study-2/hitom.jsonl that the table shows. */
interface PublishedRun {
  seed: number;
  before: Pick<Measurement, 'benchmark' | 'hard' | 'order 4'>;
  after: PublishedRun['before'];
  steps: { reward: number[] };
}

/** @param page the present text: its table of published items stays, and the endings of the runs are computed again */
export function published(page: string): string {
  const rows = jsonLines<PublishedRun>('docs/study-2/hitom.jsonl').map(publishedRow);
  const head = '| run | ending on our own stories |';
  const from = page.indexOf('## The published items');
  const [until, rest] = [page.indexOf(head), page.indexOf('The lines are in `docs/study-2/hitom.jsonl`')];
  return `${page.slice(from, until)}${head} W | F_W | R | order 4, never trained | reward, first and last ten steps |
|---|---|---|---|---|---|---|
${rows.join('\n')}

${page.slice(rest, page.indexOf('## How many tokens'))}`;
}

function publishedRow({ seed, before, after, steps: { reward } }: PublishedRun): string {
  const outcomes = ({ benchmark, hard }: PublishedRun['before']): ItemOutcome[] =>
    [benchmark, hard].flatMap(fromOutcomeTable);
  const verdict = verdictOf(outcomes(before), outcomes(after), { step: 100, provisional: false });
  const { right, ending } = verdict;
  const of = (figure: (measured: PublishedRun['before']) => number): string =>
    change([figure(before), figure(after)]);
  const pair = (figure: { before: number; now: number } | null): string =>
    figure === null ? '' : change([figure.before, figure.now]);
  const rewards = [reward.slice(0, 10), reward.slice(-10)].map(mean);
  return `| ${seed} | ${ending} | ${of(({ hard }) => fractionOf(hard.correct, '1'))} | ${of(({ hard }) => fractionOf(hard.trace, 'f'))} | ${pair(right)} | ${of((measured) => measured['order 4'].correct / measured['order 4'].count)} | ${change(rewards)} |`;
}
