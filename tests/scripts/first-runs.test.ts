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

/** Steps of the trials of a preset, and its greedy evaluations before and after. */
function trialsOf(preset: string) {
  const isTrial = new RegExp(`^${preset}-\\d+\\.csv$`);
  const files = readdirSync('docs/first-runs').filter((file) => isTrial.test(file));
  return files.map((file) => {
    const { steps, evaluations } = metricRows(`docs/first-runs/${file}`);
    return { steps, looks: [evaluations[0], evaluations.at(-1)!] };
  });
}

/** Thinking of the trials of a preset, greedy, before and after. */
const greedyOf = (name: string): string[] =>
  trialsOf(name).map(({ looks }) =>
    looks.map((row) => Math.round(Number(row['eval/meanThinkLength']))).join(' to '),
  );

it('the presets say what their trials show', () => {
  const trials = greedyOf('first-run-135m');
  expect([trials.length, trials.filter((change) => change === '92 to 9').length]).toEqual([5, 4]);
  const easy = trialsOf('first-run-135m').map(({ looks }) =>
    looks.map((row) => Number(row['eval/shortcut_right'])),
  );
  expect(easy.filter(([before, after]) => after < before)).toEqual([]);
  expect(watchWords['first-run-135m']).toContain('in four of five trials they fell from 92 to 9, and easy questions'); // prettier-ignore
  for (const [name, after] of [
    ['rare-shortcut', ' as well'],
    ['faithful', ','],
  ] as const) {
    const preset = `first-run-135m-${name}` as const;
    expect(watchWords[preset]).toContain(`from ${greedyOf(preset).join()}${after}`);
  }
  const [{ steps }] = trialsOf('first-run-135m-short');
  const [first, , third] = steps.map((row) => Math.round(Number(row['think/mean_length'])));
  expect(watchWords['first-run-135m-short']).toContain(`from ${first} to ${third} within three steps`);
});
