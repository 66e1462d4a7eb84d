/**
 * The reward module of a run of the command, also one whose code fails, or waits for ever, outside of the calls that the
 * command awaits.
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

async function trainOn(code: string): Promise<{ code: number | null; output: string }> {
  writeFileSync(join(project.folder, 'reward.mjs'), code);
  const reward = ['--reward', 'reward.mjs', '--run-reward'];
  return command(project, 'train', link, ...run, ...reward);
}

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

describe('a reward module that', () => {
  it.each([
    ['throws after its call has returned', "setTimeout(() => { throw new Error('late') }, 1)"],
    ['rejects without being awaited', "void Promise.reject(new Error('late'))"],
  ])('%s ends the run with a name and its last steps', async (_, failing) => {
    const { code, output } = await trainOn(
      `let calls = 0;
export default () => {
  calls += 1;
  if (calls === 30) { ${failing}; }
  return calls % 5;
};`,
    );
    expect(output).toContain('reward/custom-failed: Code that no call waits for has failed: Error: late.');
    expect(output).not.toMatch(/\n\s+at /);
    expect(code).toBe(1);
    expect(existsSync(inRun('run.lock'))).toBe(false);
  });

  it.each([
    ['a call', 'export default () => new Promise(() => undefined);'],
    ['its loading', 'await new Promise(() => undefined); export default () => 1;'],
  ])('is never done with %s ends the command with a name', async (_, module) => {
    const { code, output } = await trainOn(module);
    expect(output).toContain('reward/custom-failed: The command waits for an answer that cannot come');
    expect(code).toBe(1);
  });

  it('ends the process ends the command with a name', async () => {
    const { code, output } = await trainOn('export default () => process.exit(0);');
    expect(output).toContain('reward/custom-failed: The reward function, or its module, ended the process.');
    expect(code).toBe(1);
  });
});
