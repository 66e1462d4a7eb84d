/** A run of SmolLM2-135M-Instruct on user data, from the command line to its output files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { encodeLink, presets, type RunConfig } from '../../src/index';
import { sharedPath } from '../fixtures/shared';
import { metricsRows } from '../fixtures/metrics-rows';
import { command, installPackage } from '../package/installed';
import { hasRealModel, realModelFile } from './model';

/** Rows in the format of GSM8K: the number after the mark is the answer. */
const rows = [
  ['Ann has 3 pens and buys 4 more. How many pens has she?', '3 + 4 = 7 pens.\n#### 7'],
  ['A box holds 6 eggs. How many eggs do 5 boxes hold?', '6 * 5 = 30 eggs.\n#### 30'],
  ['Bob had 20 euros and spent 8. How many euros has he left?', '20 - 8 = 12 euros.\n#### 12'],
  ['4 friends share 28 nuts. How many nuts does each get?', '28 / 4 = 7 nuts.\n#### 7'],
  ['A train travels 90 km an hour. How far does it get in 2 hours?', '90 * 2 = 180 km.\n#### 180'],
].map(([question, answer]) => ({ question, answer }));

const config: RunConfig = {
  ...presets['small-llms'],
  model: { kind: 'files', name: 'smollm2-135m-instruct' },
  data: { source: 'imported:sums', orders: [0], dropShortcutRight: 0, reentry: false },
  rollout: { promptsPerStep: 2, samplesPerPrompt: 2, temperature: 1, maxNewTokens: 16 },
  steps: 1,
  evaluation: { every: 1, items: 1, hardItems: 0, seed: 7, patience: 0, validationItems: 0, taskItems: 0 },
};

it.skipIf(!hasRealModel())('a run trains on five rows of questions and numbers from --data', async () => {
  const project = await installPackage('real-data');
  const inFolder = (...names: string[]): string => join(project.folder, ...names);
  writeFileSync(inFolder('sums.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

  const { code, output } = await command(
    project,
    // Without an adapter, no answer of the model has the format that the reward requires.
    ...['train', await encodeLink(config), '--out', 'run', '--backend', 'wasm', '--anyway'],
    ...['--model', sharedPath(realModelFile), '--data', 'sums.jsonl'],
  );
  expect(code, output).toBe(0);
  expect(output).toMatch(/takes at most about \d+ \w+, by a dry run/);
  expect(output).toContain('evaluation at step 1: ');

  const all = metricsRows(readFileSync(inFolder('run', 'metrics.csv'), 'utf8'));
  const [step] = all.filter(({ reward }) => reward !== ''); // step 0 has only an evaluation
  expect(Number(step['completions/mean_length'])).toBeGreaterThan(1);
  expect(Number.isFinite(Number(step.reward))).toBe(true);
  const rollouts = readFileSync(inFolder('run', 'rollouts.csv'), 'utf8');
  const included = rows.filter(({ question }) => rollouts.includes(question));
  expect(included).toHaveLength(2);
});
