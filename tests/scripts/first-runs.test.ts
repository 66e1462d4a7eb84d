import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { firstRuns, page, withTable } from '../../scripts/first-runs';
import { realRunRecording, recordingFile } from '../../scripts/record/first-run';
import { watchWords } from '../../src/run/config/presets';

it('the docs have the table of all recorded first runs', () => {
  const text = readFileSync(page, 'utf8');
  expect(text).toBe(withTable(text));
  expect(text).toMatch(/\n\| `first-run-135m`, 1 \|/);
});

it('the recording of the first screen comes from the kept metrics, and shows thinking fall while the reward holds', () => {
  const recording = realRunRecording();
  expect(JSON.parse(readFileSync(recordingFile, 'utf8'))).toEqual(recording);
  expect(recording.practice).toHaveLength(recording.steps);
  const [first, last] = [recording.tests[0], recording.tests.at(-1)!];
  expect([first.thinking, last.thinking].map(Math.round)).toEqual([92, 9]);
  expect(last.accuracy).toBe(first.accuracy);
});

it('the preset says of its trials what their evaluations show', () => {
  const changes = firstRuns()
    .filter(({ preset }) => preset === 'first-run-135m')
    .map(({ looks }) => {
      const thinking = looks.map((row) => Math.round(Number(row['eval/meanThinkLength'])));
      const [before, after] = looks.map((row) => Number(row['eval/shortcut_right']));
      return { thinking: thinking.join(' to '), isEasyKept: after >= before };
    });
  expect(changes).toHaveLength(5);
  expect(changes.every(({ isEasyKept }) => isEasyKept)).toBe(true);
  expect(changes.filter(({ thinking }) => thinking === '92 to 9')).toHaveLength(4);
  expect(watchWords['first-run-135m']).toContain(
    'in four of five trials they fell from 92 to 9, and easy questions',
  );
});

it('the presets of what-ifs say what their one trial shows', () => {
  const trialOf = (name: string) => {
    const of = firstRuns().filter(({ preset }) => preset === name);
    expect(of).toHaveLength(1);
    const [{ steps, looks }] = of;
    return {
      greedy: looks.map((row) => Math.round(Number(row['eval/meanThinkLength']))).join(' to '),
      sampled: steps.slice(0, 3).map((row) => Math.round(Number(row['think/mean_length']))),
    };
  };
  expect(watchWords['first-run-135m-rare-shortcut']).toContain(
    `from ${trialOf('first-run-135m-rare-shortcut').greedy} as well`,
  );
  expect(watchWords['first-run-135m-faithful']).toContain(
    `from ${trialOf('first-run-135m-faithful').greedy},`,
  );
  const { sampled } = trialOf('first-run-135m-short');
  expect(watchWords['first-run-135m-short']).toContain(
    `from ${sampled[0]} to ${sampled[2]} within three steps`,
  );
});
