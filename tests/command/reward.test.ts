/**
 * The reward module of a run of the command, also one that never answers.
 * @module-tag long
 */
import { existsSync, openAsBlob, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { unpackRun } from '../../src/share/run-file';
import { command, installPackage, type Project } from '../package/installed';
import { link } from './library-rows';

vi.setConfig({ testTimeout: 120_000 });

let project: Project;
beforeAll(async () => {
  project = await installPackage('command-reward');
}, 240_000);
afterEach(() => rmSync(join(project.folder, 'run'), { recursive: true, force: true }));

const run = ['--backend', 'wasm', '--out', 'run'];
const inRun = (name: string): string => join(project.folder, 'run', name);

describe('marble-rl train --reward', () => {
  it('trains with a reward function after the user agreed, and resumes only with the same one', async () => {
    writeFileSync(join(project.folder, 'brevity.mjs'), 'export default (_, __, { think }) => -think.length;');
    const reward = ['--reward', 'brevity.mjs'];
    const refused = await command(project, 'train', link, ...run, ...reward, '--yes');
    expect(refused).toMatchObject({
      code: 1,
      output: expect.stringContaining('command/not-agreed') as string,
    });
    expect(existsSync(inRun('run.marble'))).toBe(false);
    const trained = await command(project, 'train', link, ...run, ...reward, '--run-reward');
    expect(trained.code, trained.output).toBe(0);
    const { history } = await unpackRun(await openAsBlob(inRun('run.marble')));
    expect(history.record.config.reward).toEqual({ preset: 'logic-rl', custom: 'brevity.mjs' });
    expect(Math.max(...history.steps.map((step) => step.reward))).toBeLessThanOrEqual(0);
    const without = await command(project, 'train', '--out', 'run');
    expect(without).toMatchObject({
      code: 1,
      output: expect.stringContaining('reward/custom-missing') as string,
    });
  });
});

it.each([
  ['a call', 'export default () => new Promise(() => undefined);'],
  ['its loading', 'await new Promise(() => undefined); export default () => 1;'],
])('a reward module that is never done with %s ends the command with a name', async (_, module) => {
  writeFileSync(join(project.folder, 'reward.mjs'), module);
  const reward = ['--reward', 'reward.mjs', '--run-reward'];
  const { code, output } = await command(project, 'train', link, ...run, ...reward);
  expect(output).toContain('reward/custom-failed: The command waits for an answer that cannot come');
  expect(code).toBe(1);
});
