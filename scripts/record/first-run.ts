/**
 * Writes the recording of a real model for the first screen, `public/recordings/first-run-135m.json`, from the files of
 * the run in `docs/first-runs`: its metrics (`.csv`) and one question of its evaluations (`.json`).
 *
 *     npx tsx scripts/record/first-run.ts                # from docs/first-runs
 *     npx tsx scripts/record/first-run.ts run.marble     # also takes the question from the run's file
 */
import { openAsBlob, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { presets } from '../../src/index';
import { realRun, type RealRun } from '../../src/run/recording/recording-file';
import { isHardRollout } from '../../src/run/record/rollouts';
import type { Rollout } from '../../src/run/record/rollout-record';
import { unpackRun } from '../../src/share/run-file';

const root = join(import.meta.dirname, '..', '..');
const name = join(root, 'docs', 'first-runs', `${realRun.preset}-${realRun.seed}`);
export const recordingFile = join(root, 'public', 'recordings', `${realRun.preset}.json`);

type Row = Record<string, string>;

/** Rows of the steps and of the evaluations in a file of docs/first-runs, by column. The file has no quoted commas. */
export function metricRows(path: string): { steps: Row[]; evaluations: Row[] } {
  const [head, ...lines] = readFileSync(path, 'utf8').trim().split('\r\n');
  const columns = head.split(',');
  const rows = lines.map((line) => Object.fromEntries(line.split(',').map((cell, i) => [columns[i], cell])));
  const having = (name: string): Row[] => rows.filter((row: Row) => (row[name] ?? '') !== '');
  return { steps: having('reward'), evaluations: having('eval/accuracy') };
}

const shownAnswer = ({ reward }: Rollout): RealRun['example']['before'] => ({
  thinks: reward.think.trim(),
  answers: reward.answer,
  correct: reward.correct,
});

/** The first hard question that the model answers by the shortcut at the end. */
async function writeExample(path: string): Promise<void> {
  const { evals } = (await unpackRun(await openAsBlob(path))).history;
  const [first, last] = [evals[0], evals[evals.length - 1]].map(({ report }) => report);
  const [{ 'eval/meanThinkLength': recorded }] = metricRows(`${name}.csv`).evaluations;
  if (Number(recorded) !== first.meanThinkLength) throw new Error(`${path} is another run than ${name}.csv.`);
  const after = last.samples.find(
    (sample) => isHardRollout(sample) && sample.reward.answer === sample.shortcutAnswer,
  );
  const before = first.samples.find(({ itemId }) => itemId === after?.itemId);
  if (before === undefined || after === undefined)
    throw new Error('No answer of the run became the shortcut’s.');
  const question = /^Where does .*\?$/m.exec(before.prompt)![0];
  const example = { question, before: shownAnswer(before), after: shownAnswer(after) };
  writeFileSync(`${name}.json`, `${JSON.stringify(example, null, 2)}\n`);
}

export function realRunRecording(): RealRun {
  const { steps, evaluations } = metricRows(`${name}.csv`);
  return {
    version: 1,
    ...realRun,
    steps: presets[realRun.preset].steps,
    practice: steps.map((row) => ({
      step: Number(row.step),
      reward: Number(row.reward),
      thinking: Number(row['think/mean_length']),
    })),
    tests: evaluations.map((row) => ({
      step: Number(row.step),
      thinking: Number(row['eval/meanThinkLength']),
      accuracy: Number(row['eval/accuracy']),
    })),
    example: JSON.parse(readFileSync(`${name}.json`, 'utf8')) as RealRun['example'],
  };
}

if (process.argv[1]?.endsWith('first-run.ts')) {
  const [path] = process.argv.slice(2);
  if (path !== undefined) await writeExample(path);
  writeFileSync(recordingFile, `${JSON.stringify(realRunRecording())}\n`);
}
