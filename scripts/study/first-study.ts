/** What docs/results.md says of the first study: its corrections, with the figures taken from its lines. */
import { readFileSync } from 'node:fs';
import { fractionOf } from './lines';
import { mean } from './rules';

/** What is read here of a line of docs/study-1/runs.jsonl. */
interface OldLine {
  id: string;
  start: { size: string; steps: number; id: string };
  forecast: { empty: number; full: number } | null;
  before: OldMeasurement;
  after: OldMeasurement;
}

interface OldMeasurement {
  greedy: { correct: string; trace: string; shortcut: string; thinkTokens: number[] };
  others: Record<string, { count: number; correct: number; faithful: number }>;
}

export function firstStudy(): string {
  const lines = readFileSync('docs/study-1/runs.jsonl', 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as OldLine);
  const base = lines.filter(({ id, start }) => id.includes('/base/') && !start.id.includes('full100'));
  const demonstration = base.filter(({ start }) => start.size === '25k' && start.steps <= 1000);
  const stronger = demonstration.filter(({ start }) => start.steps === 1000);
  const wrong = demonstration.map(({ before }) => hardOf(before));
  const isSilent = ({ before, after }: OldLine): boolean =>
    mean(after.greedy.thinkTokens) <= mean(before.greedy.thinkTokens) / 2;
  const silentOf = (from: number, to: number): string => {
    const within = base.filter(({ forecast }) => {
      const d = forecast === null ? NaN : forecast.full - forecast.empty;
      return d >= from && d < to;
    });
    return `${within.filter(isSilent).length} of ${within.length}`;
  };
  const longer = lines.filter(({ start }) => start.steps === 1600);
  const large = base.filter(({ start }) => start.size === '398k');
  const third = lines.filter(({ id }) => id.includes('/order-3/'));
  const faded = lines.filter(({ id }) => id.includes('/S.56/'));
  const percent = (values: readonly number[]): string => (100 * mean(values)).toFixed(1);
  const other = (of: readonly OldLine[], set: string, side: 'before' | 'after'): string =>
    percent(of.map((line) => line[side].others[set].correct / line[side].others[set].count));
  return `## The first study

90 runs, [rules](study-1.md) first, [its page](study-1/results.md) and its lines (\`docs/study-1/\`); its code stands at commit b3952fe. It was sound as bookkeeping and weak as a demonstration. Corrections, with figures from its lines:

- **Its starts could hardly reason.** On items where the shortcut is wrong, faithful traces at the start are ${two(Math.min(...wrong.map(({ faithful }) => faithful)))} to ${two(Math.max(...wrong.map(({ faithful }) => faithful)))} in the ${demonstration.length} runs of H1 and H1b, and W is ${two(Math.min(...wrong.map(({ correct }) => correct)))} to ${two(Math.max(...wrong.map(({ correct }) => correct)))} with chance at .20. Nothing could be lost or kept. The cause is the initial weights, one deviation for all matrices.
- **H1 (a)** failed by that floor: all its ten failures are "W did not halve", at W .06 to .18. R rose in all 24 runs.
- **H1b**: ${stronger.filter(isSilent).length} of 12 runs stopped thinking; two of them were listed under "no reasoning to lose".
- **H2**'s interval, drawn over the starts that reasoned, is [−.67, .00].
- **H3** "stands" says little: by simulation it would have been refuted in 37 % of studies if size truly decided.
- **H4**'s p < .0001 is dropped: it bootstraps a constant over two pairs. At S = .56 the length went to 0 in ${faded.filter(({ after }) => mean(after.greedy.thinkTokens) < 1).length} of ${faded.length} runs, and no faithful trace was left in them: the reasoning went there too, and the two that were counted as kept were so only because C2 missed by a hair.
- **H5**: the de-biased benchmark still leaves the shortcut right on .48.
- **nano-order-1**, "17 of 18": counted under a rule that was replaced the same day. Not repeated since, and claimed no more.
- **d at the start** separates how reasoning goes, seen afterwards: the length halved in ${silentOf(-9, 0.1)} base runs with d < .1, ${silentOf(0.1, 0.3)} with .1 to .3, ${silentOf(0.3, 9)} above. H8b tests it.
- **Not reported then**: the four starts of 1,600 steps gain on the benchmark (${percent(longer.map(({ before }) => fractionOf(before.greedy.correct, '1')))} → ${percent(longer.map(({ after }) => fractionOf(after.greedy.correct, '1')))} %) while the world at large falls (${other(longer, 'other world', 'before')} → ${other(longer, 'other world', 'after')} %). At 398k order 4, never trained, rises (${other(large, 'order 4', 'before')} → ${other(large, 'order 4', 'after')} %) without a faithful trace: a gain out of distribution by the shortcut. Training on order 3 alone lowers order 0 (${other(third, 'order 0', 'before')} → ${other(third, 'order 0', 'after')} %).
`;
}

function hardOf({ greedy: { correct, trace, shortcut } }: OldMeasurement): {
  correct: number;
  faithful: number;
} {
  const places = Array.from(shortcut, (mark, index) => (mark === '0' ? index : -1)).filter(
    (index) => index >= 0,
  );
  return {
    correct: places.filter((place) => correct[place] === '1').length / places.length,
    faithful: places.filter((place) => trace[place] === 'f').length / places.length,
  };
}

function two(value: number): string {
  return value.toFixed(2).replace(/^0\./, '.');
}
