/** An export that TRL itself has trained, opened again: by `npm run test:slow`, where TRL is to be had. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportRun } from '../../../src/export/cluster/export-run';
import { openRun } from '../../../src/export/open/open-run';
import { algorithms } from '../../../src/objective/algorithm';
import type { RunConfig } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import { folderForAll, writeFiles } from '../../fixtures/folder';
import { embeddedFiles } from '../model-folder';
import { pythonOfSlowTests } from '../cluster/trl-venv';

const python = pythonOfSlowTests('TRL is run');

const base = presets['ladder-25k'];
const small: RunConfig = {
  ...base,
  steps: 2,
  rollout: { ...base.rollout, promptsPerStep: 4, samplesPerPrompt: 4 },
  evaluation: { ...base.evaluation, items: 40, finalItems: 40, validationItems: 0 },
};

describe.skipIf(python === null)('what TRL leaves of an exported run', () => {
  const folder = folderForAll('back');

  it.each([
    ['GRPO and an adapter', { ...small, training: { mode: 'lora', rank: 4, alpha: 8 }, algorithm: { ...algorithms.grpo, resampleRounds: 0 } }],
    ['RLOO', { ...small, algorithm: { ...algorithms.rloo, resampleRounds: 0, lengthPenalty: 0.5 } }],
  ] as [string, RunConfig][])('is a run with its curves, its completions at the same rewards and a verdict (%s)', async (name, config) => {
    const out = join(folder, name);
    const { files } = await exportRun(config, { to: 'trl', modelFiles: embeddedFiles('ladder-25k') });
    await writeFiles(out, files);
    // Stopped after a step, and gone on with.
    for (const words of [['--steps', '1'], ['--steps', '2', '--resume']]) {
      const ran = spawnSync(python!, ['run-trl.py', '--out', 'trained', '--evaluate', '24', ...words], { cwd: out, encoding: 'utf8', env: { ...process.env, OMP_NUM_THREADS: '1' } }); // prettier-ignore
      expect(ran.stderr.slice(ran.status === 0 ? Infinity : -2000)).toBe('');
    }
    const back = new File([readFileSync(join(out, 'trained/marble.zip'))], 'marble.zip');
    const { history, rollouts, checkpoint } = await openRun(back);
    expect(history.record.config).toEqual(config);
    expect(history.record.notes).toContain('32 of 32 completions earn what they earned there');
    expect(history.steps.map(({ step }) => step)).toEqual([1, 2]);
    for (const record of history.steps) expect(Object.keys(record)).toEqual(expect.arrayContaining(['reward', 'accuracy', 'trace/validity'])); // prettier-ignore
    const batches = [];
    for await (const batch of rollouts) batches.push(batch);
    // Lengths are those that TRL counted itself.
    batches.forEach((batch, at) => expect(batch.reduce((sum, { tokens }) => sum + tokens, 0) / batch.length).toBeCloseTo(history.steps[at]['completions/mean_length'])); // prettier-ignore
    expect(history.evals.map(({ report }) => [report.step, report.overall.count])).toEqual([[0, 24], [1, 24], [2, 24]]); // prettier-ignore
    expect(history.evals[2].verdict?.provisional).toBe(false);
    const layout = checkpoint!.policy.layout!;
    expect(layout.adapter === null).toBe(config.training.mode === 'full');
    expect(checkpoint!.policy.parameters.some((value) => value !== 0)).toBe(true);
  }, 600_000); // prettier-ignore
});
