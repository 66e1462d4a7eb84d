/** The section of docs/results.md on the published items. */
import { mean } from '../../src/base/statistics';
import type { OutcomeTable } from '../../src/run/record/evaluation';
import { fromOutcomeTable } from '../../src/run/verdict/outcome-table';
import type { ItemOutcome } from '../../src/run/verdict/outcomes';
import { verdictOf } from '../../src/run/verdict/verdict';
import { bracket, two } from './format';
import type { HiTomLine } from './hitom-lines';
import { meanChange, type Estimate } from './rules';

const PUBLISHED_RUNS = 2;

/** H7 of docs/study-2.md; nothing while no run is made. */
export function publishedSection(lines: readonly HiTomLine[]): string {
  if (lines.length === 0) return '';
  const { order, shortcutRight } = lines[0].before.published;
  const places = Array.from(order, (_, index) => index);
  const asked = places.filter((index) => order[index] < '4');
  const sets: [name: string, items: number[]][] = [
    ['0 to 3', asked],
    ['0 to 3, shortcut wrong', asked.filter((index) => shortcutRight[index] === '0')],
    ...['0', '1', '2', '3', '4'].map((one): [string, number[]] => [
      one,
      places.filter((index) => order[index] === one),
    ]),
  ];
  const rows = sets.map(([name, items]) => ({ name, ...publishedFigures(lines, items) }));
  const [all] = rows;
  const length = all.length[1] / all.length[0];
  const repeats = all.change[1] > 0 && length < 0.5;
  const ending =
    lines.length < PUBLISHED_RUNS
      ? `not decided, ${lines.length} of ${PUBLISHED_RUNS} runs are made`
      : `${repeats ? 'repeats' : 'does not repeat'} the papers’ pattern`;
  return `## The published items

**H7 again: ${ending}.** On ${asked.length} published Hi-ToM items of orders 0 to 3 greedy accuracy goes from ${two(all.accuracy[0])} to ${two(all.accuracy[1])}, by ${bracket(all.change)} (an interval above 0 asked), and the mean length of thinking to ${two(length)} of what it was (below .50 asked; runs of one start: ${lines.length}).

| published items | count | accuracy | change | F | words of thinking |
|---|---|---|---|---|---|
${rows.map(({ name, items, accuracy, change, faithful, length: words }) => `| ${name} | ${items} | ${arrow(accuracy.map(two))} | ${bracket(change)} | ${arrow(faithful.map(two))} | ${arrow(words.map((mean) => mean.toFixed(1)))} |`).join('\n')}

| run | ending on our own stories | W | F_W | R | order 4, never trained | reward, first and last ten steps |
|---|---|---|---|---|---|---|
${lines.map(ownStories).join('\n')}

\`npm run experiments:published -- --published Hi-ToM_data.json,ToM_train_HiEx_hint.parquet\` makes the runs that are missing; the two files are their authors’.

`;
}

type Pair = [before: number, after: number];

/** Means over runs and items. */
interface PublishedFigures {
  items: number;
  accuracy: Pair;
  change: Estimate;
  faithful: Pair;
  length: Pair;
}

function publishedFigures(lines: readonly HiTomLine[], items: readonly number[]): PublishedFigures {
  const pair = (of: (table: OutcomeTable, item: number) => number): Pair => {
    const over = (when: 'before' | 'after'): number =>
      mean(lines.flatMap(({ [when]: { published: table } }) => items.map((item) => of(table, item))));
    return [over('before'), over('after')];
  };
  const right = ({ correct }: OutcomeTable, item: number): number => Number(correct[item]);
  const change = meanChange(
    items.map((item) =>
      mean(lines.map(({ before, after }) => right(after.published, item) - right(before.published, item))),
    ),
  );
  return {
    items: items.length,
    accuracy: pair(right),
    change,
    faithful: pair(({ trace }, item) => Number(trace[item] === 'f')),
    length: pair(({ thinkTokens }, item) => thinkTokens[item]),
  };
}

function ownStories({ seed, before, after, steps: { reward } }: HiTomLine): string {
  const { ending, wrong, faithfulWrong, right } = verdictOf(
    ...([before, after].map(({ benchmark, hard }) => [
      ...fromOutcomeTable(benchmark),
      ...fromOutcomeTable(hard),
    ]) as [ItemOutcome[], ItemOutcome[]]),
    { step: 100, provisional: false },
  );
  const pair = (figure: { before: number; now: number } | null): string =>
    figure === null ? '–' : arrow([figure.before, figure.now].map(two));
  const order4 = [before, after].map(({ 'order 4': { correct, count } }) => two(correct / count));
  return `| ${seed} | ${ending} | ${pair(wrong)} | ${pair(faithfulWrong)} | ${pair(right)} | ${arrow(order4)} | ${arrow([mean(reward.slice(0, 10)), mean(reward.slice(-10))].map(two))} |`;
}

const arrow = (pair: readonly string[]): string => pair.join(' → ');
