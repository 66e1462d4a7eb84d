import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { metricRows, realRunRecording, recordingFile } from '../../scripts/record/first-run';
import { watchWords } from '../../src/run/config/presets';

it('the recording of the first screen comes from the kept metrics, and shows thinking fall while the reward holds', () => {
  const recording = realRunRecording();
  expect(JSON.parse(readFileSync(recordingFile, 'utf8'))).toEqual(recording);
  expect(recording.practice).toHaveLength(recording.steps);
  const [first, last] = [recording.tests[0], recording.tests.at(-1)!];
  expect([first.thinking, last.thinking].map(Math.round)).toEqual([92, 9]);
  expect(last.accuracy).toBe(first.accuracy);
});

it('thinking falls from 92 to 9 tokens in four of five trials of the first run, as its preset says', () => {
  const files = readdirSync('docs/first-runs').filter((file) => /^first-run-135m-\d+\.csv$/.test(file));
  const changes = files.map((file) => {
    const { evaluations } = metricRows(`docs/first-runs/${file}`);
    const looks = [evaluations[0], evaluations.at(-1)!];
    return looks.map((row) => Math.round(Number(row['eval/meanThinkLength']))).join(' to ');
  });
  expect([changes.length, changes.filter((change) => change === '92 to 9').length]).toEqual([5, 4]);
  expect(watchWords['first-run-135m']).toContain('in four of five trials they fell from 92 to 9');
});
