/**
 * Writes the table of first runs in docs/algorithms.md from docs/first-runs, which holds the metrics.csv of every run
 * as `<preset>-<seed>.csv`.
 *
 *     node scripts/run.mjs scripts/first-runs.ts      # after adding a run's file
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable, metricRows, replaceMarked, type Row } from './tables';
import { oldEnding } from '../src/run/verdict/ending';
import { LEAST_ITEMS } from '../src/run/verdict/rule';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'docs', 'first-runs');
export const page = join(root, 'docs', 'algorithms.md');

/** Endings had other names before November 2026; the file must show which of today's applies. */
function endingOf(row: Row): string {
  const ending = row['verdict/ending'];
  if (ending !== oldEnding) return ending;
  if (Number(row['eval/shortcut_wrong/count']) < LEAST_ITEMS) return 'not measured';
  throw new Error('Make this run again: its file does not say how it ended.');
}

interface FirstRun {
  preset: string;
  seed: number;
  steps: Row[];
  /** Greedy evaluations at the first and the last look. */
  looks: [first: Row, last: Row];
}

export function firstRuns(): FirstRun[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.csv'));
  return files.map((file) => {
    const [, preset, seed] = /^(.*)-(\d+)\.csv$/.exec(file)!;
    const { steps, evaluations } = metricRows(join(folder, file));
    return { preset, seed: Number(seed), steps, looks: [evaluations[0], evaluations.at(-1)!] };
  });
}

function firstRunsTable(): string {
  const lines = firstRuns().map(({ preset, seed, steps, looks }) => {
    const last = looks[1];
    const percent = (row: Row, name: string): string =>
      `${Math.round(100 * Number(row[`eval/${name}`]))} % of ${row[`eval/${name}/count`]}`;
    const change = (name: string): string => looks.map((row) => percent(row, name)).join(', ');
    const greedy = looks.map((row) => Number(row['eval/meanThinkLength']).toFixed(0));
    const thinking = steps.map((row) => Number(row['think/mean_length']).toFixed(0));
    const reward = steps.map((row) => Number(row.reward).toFixed(1));
    const ending = `${endingOf(last)}${last['verdict/provisional'] === 'true' ? ' so far' : ''}`;
    const cells = [`\`${preset}\`, ${seed}`, thinking.join(' '), reward.join(' '), greedy.join(', ')];
    return [...cells, change('shortcut_right'), change('shortcut_wrong'), `${ending}, step ${last.step}`];
  });
  return markdownTable(
    ['run, seed', 'sampled thinking', 'reward', 'greedy thinking', 'easy', 'hard', 'verdict'],
    lines,
  );
}

export const withTable = (text: string): string => replaceMarked(text, 'first-runs', firstRunsTable());

if (process.argv[1]?.endsWith('first-runs.ts')) writeFileSync(page, withTable(readFileSync(page, 'utf8')));
