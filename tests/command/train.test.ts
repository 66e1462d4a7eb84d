import { existsSync, mkdirSync, openAsBlob, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'; // prettier-ignore
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Evaluated } from '../../src/command/subcommands/evaluate-command';
import { decodeLink, loadPolicy, openEngine, train } from '../../src/index';
import { addEvent, growingHistory } from '../../src/run/record/history';
import { newRunRecord } from '../../src/run/record/new-run';
import { toCsv } from '../../src/share/csv';
import { runJsonl } from '../../src/share/jsonl';
import { embeddedFiles } from '../export/model-folder';
import { unzipFiles } from '../export/unzip-files';
import type { Evaluation } from '../../src/run/record/evaluation';
import { unpackRun } from '../../src/share/run-file';
import { evaluationsIn, metricsRows } from '../fixtures/metrics-rows';
import { all } from '../share/run-content';
import { command, installPackage, startCommand, type Project } from '../package/installed';

// Every test starts processes, and other tests run at the same time.
vi.setConfig({ testTimeout: 240_000 });

const link =
  '#v=1&preset=ladder-25k&seed=3&steps=5&rollout.promptsPerStep=2&rollout.samplesPerPrompt=4&evaluation.every=2&evaluation.items=4&evaluation.finalItems=4&evaluation.hardItems=0&checkpointEvery=1';

/** Rows and evaluations of the run, trained by the library in this process. */
async function libraryRows() {
  const { config } = await decodeLink(link);
  const engine = await openEngine({ backend: 'wasm' });
  const policy = await loadPolicy(engine, { files: embeddedFiles('ladder-25k') });
  const history = growingHistory();
  for await (const event of train(engine, policy, config)) addEvent(history, event);
  policy.dispose();
  engine.dispose();
  const texts = await all(runJsonl({ ...history, record: newRunRecord(config, '', {}) }, []));
  return { rows: metricsRows(toCsv(history.steps)), evaluations: evaluationsIn(texts.join('')) };
}

let project: Project;
let expected: Awaited<ReturnType<typeof libraryRows>>;
beforeAll(async () => {
  project = await installPackage('command');
  expected = await libraryRows();
}, 240_000);

const run = ['--backend', 'wasm', '--out', 'run'];
const inRun = (name: string): string => join(project.folder, 'run', name);
const rows = (): typeof expected => ({
  rows: metricsRows(readFileSync(inRun('metrics.csv'), 'utf8')),
  evaluations: evaluationsIn(readFileSync(inRun('everything.jsonl'), 'utf8')),
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(join(project.folder, 'run'), { recursive: true, force: true });
});

const saying = (child: ChildProcess, text: string): Promise<void> =>
  new Promise((resolve) => child.stdout!.on('data', (part) => String(part).includes(text) && resolve()));

const loggedSteps = (): number => readFileSync(inRun('metrics.jsonl'), 'utf8').split('["step"').length - 1;

/** Waits for a step and for a checkpoint, while the run trains. */
async function untilStep(step: number): Promise<void> {
  const reached = (): boolean =>
    existsSync(inRun('run.checkpoint')) &&
    loggedSteps() >= step &&
    readdirSync(inRun('')).every((name) => !name.endsWith('.part'));
  while (!reached()) await wait(20);
}

const needs = /Needs \d+ MB of memory and takes at most about \d+ \w+, by a dry run/;

describe('marble-rl train', () => {
  it('prints what it needs, and writes the rows of the library and a file that the page opens', async () => {
    const { code, output } = await command(project, 'train', link, ...run);
    expect(output).toMatch(needs);
    expect(output.search(needs)).toBeLessThan(output.indexOf('step 1/5'));
    expect(output).toContain('step 5/5  reward ');
    // Step 0 is evaluated together with the first look. Step 1 therefore comes sooner.
    expect(output.indexOf('step 1/5')).toBeLessThan(output.indexOf('evaluation at step 0'));
    expect(code).toBe(0);
    expect(rows()).toEqual(expected);
    const written = ['everything.jsonl', 'metrics.csv', 'model.zip', 'run.marble'];
    expect(readdirSync(inRun('')).sort()).toEqual(written);
    const { history, rollouts, checkpoint } = await unpackRun(await openAsBlob(inRun('run.marble')));
    expect(history.record).toMatchObject({ status: 'done', step: 5, checkpointStep: 5 });
    expect(history.record.machine).toMatchObject({ backend: { backend: 'wasm' } });
    expect(checkpoint?.step).toBe(5);
    expect((await all(rollouts)).flat()).toHaveLength(5 * 8);
    const files = await unzipFiles(await openAsBlob(inRun('model.zip')));
    expect(Object.keys(files)).toContain('model.safetensors');
    const again = await command(project, 'train', link, ...run);
    expect(again).toEqual({ code: 0, output: 'The run in run is complete, at step 5.\n' });
    const elsewhere = await command(project, 'train', 'run', '--out', 'run/other');
    expect(elsewhere.output).toMatch(/^ladder-25k, seed 3, .* is complete, at step 5\.\n$/);

    // A later evaluation gives the same report as the run's last one.
    const { code: evaluated } = await command(project, 'evaluate', 'run', '--out', 'run/report.json');
    expect(evaluated).toBe(0);
    const { report, verdict } = JSON.parse(readFileSync(inRun('report.json'), 'utf8')) as Evaluated;
    const last = JSON.parse(JSON.stringify(history.evals.at(-1))) as Evaluation;
    expect({ report, verdict }).toEqual(last);
  });

  it.each(['SIGINT', 'SIGHUP', 'EPIPE'])(
    'saves its state at Ctrl-C, and if its terminal or the reader of its output is closed: %s',
    async (end) => {
      const { child, ended } = startCommand(project, 'train', link, ...run);
      await untilStep(1);
      if (end === 'EPIPE') child.stdout!.destroy();
      else child.kill(end as NodeJS.Signals);
      const { code, output } = await ended;
      expect(code).toBe(130);
      if (end === 'SIGINT') expect(output).toContain('To resume: marble-rl train --out run');
      const { history } = await unpackRun(await openAsBlob(inRun('run.marble')));
      expect(history.record.status).toBe('stopped');
      expect(existsSync(inRun('run.lock'))).toBe(false);
    },
  );

  // the other tests of this folder make the same errors without a process of their own
  it('prints errors with a next step', async () => {
    const says = async (...args: string[]): Promise<string> => (await command(project, ...args)).output;
    const answers: [string[], string][] = [
      [['train'], 'command/bad-use: train needs --out.'],
      [['train', link, '--steps', 'many', ...run], '--steps is “many”, but must be a whole number'],
      [
        ['train', link, '--steps', '-3', ...run],
        'bad-use: --steps needs a value. One that begins with a dash follows',
      ],
      [
        ['train', `${link}&sweep.seed=1,2`, '--threads', '1', '--model', 'nowhere', '--out', 'axes'],
        'The axes of the sweep in the link are left out',
      ],
      [
        ['sweep', `${link}&sweep.model=ladder-12k,ladder-25k`, '--model', 'folder', ...run],
        'bad-use: The link varies the model, and --model names one for all runs.',
      ],
      [['sweep', link, '--threads', '2', ...run], 'bad-use: sweep does not accept --threads.'],
      [['sweep', `${link}&backend=webgpu&sweep.seed=1,2`, '--out', 'run'], 'command/no-webgpu: '],
    ];
    vi.stubEnv('VK_DRIVER_FILES', '/none'); // hides the adapter
    await Promise.all(answers.map(async ([args, answer]) => expect(await says(...args)).toContain(answer)));
    mkdirSync(join(project.folder, 'run', 'metrics.jsonl'), { recursive: true });
    expect(await says('train', link, ...run)).toContain('command/not-written: ');
  });
});

describe('marble-rl train, at length', { tags: ['long'] }, () => {
  it('runs a reward after the user agreed, ends without a signal, and resumes with the same one and --anyway', async () => {
    writeFileSync(join(project.folder, 'constant.mjs'), 'export default () => 1;');
    const reward = ['--reward', 'constant.mjs'];
    const trained = (...given: string[]) => command(project, 'train', ...given);
    const saying = (text: string) => ({ code: 1, output: expect.stringContaining(text) as string });
    expect(await trained(link, ...run, ...reward, '--yes')).toMatchObject(saying('command/not-agreed'));
    expect(existsSync(inRun('run.marble'))).toBe(false);
    expect(await trained(link, ...run, ...reward, '--run-reward')).toMatchObject(saying('rl/no-signal'));
    const savedHistory = async () => (await unpackRun(await openAsBlob(inRun('run.marble')))).history;
    const { steps, record } = await savedHistory();
    expect([steps, record.config.reward]).toEqual([[], { preset: 'logic-rl', custom: 'constant.mjs' }]);
    expect(await trained('--out', 'run')).toMatchObject(saying('reward/custom-missing'));
    const { code, output } = await trained('--out', 'run', ...reward, '--run-reward', '--anyway');
    expect(code, output).toBe(0);
    const whole = await savedHistory();
    expect(whole.steps.map((step) => step.reward)).toEqual([1, 1, 1, 1, 1]);
    expect(whole.alerts.filter(({ code }) => code === 'rl/no-signal')).toHaveLength(1);
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

  it('ends soon after Ctrl-C in a phase that does not end, and can be started again', async () => {
    // A reward that never answers, in a step.
    const reward = join(project.folder, 'silent.mjs');
    const silence =
      "console.log('asked'); setInterval(() => undefined, 1000); return new Promise(() => undefined);";
    writeFileSync(reward, `export default (completion) => { ${silence} };`);
    const asking = [link, '--reward', reward, '--run-reward', ...run];
    const { child, ended } = startCommand(project, 'train', ...asking);
    await saying(child, 'asked');
    await wait(500);
    const start = performance.now();
    child.kill('SIGINT');
    await ended;
    expect(performance.now() - start).toBeLessThan(20_000); // 5 s, and this machine may be busy
    expect([130, null]).toContain(child.exitCode);
    rmSync(join(project.folder, 'run'), { recursive: true, force: true });
  });

  it('resumes a run only with its own seed and steps, and leaves a folder with another run unchanged', async () => {
    await command(project, 'train', link, '--steps', '1', ...run);
    const before = readFileSync(inRun('run.marble'));
    const others: [args: string[], says: string][] = [
      [['--seed', '99', '--out', 'run'], 'command/other-run: '],
      [['run/run.marble', '--seed', '99', '--out', 'run'], 'command/other-run: '],
      [[link, '--seed', '4', '--steps', '1', ...run], 'command/other-run: run holds another run'],
      [['run/run.marble', '--steps', '14', '--out', 'run/other'], '--steps 14 is not its steps, 1'],
    ];
    for (const [args, says] of others) {
      const { code, output } = await command(project, 'train', ...args);
      expect([code, output]).toEqual([1, expect.stringContaining(says)]);
    }
    expect(readFileSync(inRun('run.marble')).equals(before)).toBe(true);
    expect((await command(project, 'train', '--steps', '1', '--seed', '3', '--out', 'run')).code).toBe(0);
  });
});

describe('a sweep that is killed', { tags: ['long'] }, () => {
  const swept = ['sweep', `${link}&sweep.seed=1,2`, '--processes', '2', ...run];

  it('leaves no run active, and the same command resumes every run, with a row for each', async () => {
    const { child, ended } = startCommand(project, ...swept);
    const lock = (name: string): string => inRun(`${name}/run.lock`);
    while (!existsSync(inRun('001/run.checkpoint')) || !existsSync(lock('002'))) await wait(20);
    child.kill('SIGKILL');
    await ended;
    const again = await command(project, ...swept);
    expect(again.output).toContain('2 runs, 2 at a time');
    expect(again.output).not.toContain('FAILED');
    expect(again.code).toBe(0);
    const lines = readFileSync(inRun('sweep.csv'), 'utf8').trim().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines.filter((line) => line.includes(',done,'))).toHaveLength(2);
    expect(existsSync(lock('001'))).toBe(false);

    const other = await command(project, ...swept.with(1, `${link}&sweep.seed=1,7`));
    expect(other.code).toBe(1);
    expect(other.output).toContain('002/run.marble belongs to another run and is left out of the means');
  });

  it('ends its runs, however long they are', async () => {
    const { child, ended } = startCommand(project, ...swept, '--steps', '100000');
    const locks = ['001', '002'].map((name) => inRun(`${name}/run.lock`));
    while (!locks.every((lock) => existsSync(lock))) await wait(20);
    child.kill('SIGKILL');
    await ended;
    await expect.poll(() => locks.filter((lock) => existsSync(lock)), { timeout: 60_000 }).toEqual([]);
  });
});

it('marble-rl --version prints which backends start here', async () => {
  const { code, output } = await command(project, '--version');
  expect(output).toMatch(/^marble-rl \d+\.\d+\.\d+\n/);
  expect(output).toContain('ok       wasm\n');
  expect(code).toBe(0);
});
