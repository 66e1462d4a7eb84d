/** A disk that is full while a real model trains: the error has a name, and the same command resumes to the same rows. */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { algorithms, encodeLink, presets, type RunConfig } from '../../src/index';
import { evaluationsIn, metricsRows } from '../fixtures/metrics-rows';
import { sharedPath } from '../fixtures/shared';
import { command, commandLine, installPackage, start, type Project } from '../package/installed';
import { hasRealModel, realModelFile } from './model';

const adapter = join(import.meta.dirname, '../../public/adapters/rooms-135m');
/** Bytes of a block of `ulimit -f`. */
const BLOCK = 512;

/** A first run of two steps with four answers each. */
const config: RunConfig = {
  ...presets['first-run-135m'],
  data: { ...presets['first-run-135m'].data, rho: 0.5 },
  algorithm: algorithms['reinforce++'], // has a reference phase
  rollout: { promptsPerStep: 2, samplesPerPrompt: 2, temperature: 1, maxNewTokens: 40 },
  steps: 2,
  evaluation: { every: 2, items: 1, finalItems: 1, hardItems: 0, seed: 7 },
  checkpointEvery: 1,
};

describe.skipIf(!hasRealModel() || process.platform === 'win32')(
  'SmolLM2-135M-Instruct with a full disk',
  () => {
    let project: Project;
    let run: string[];
    beforeAll(async () => {
      project = await installPackage('real-full-disk');
      const places = ['--model', sharedPath(realModelFile), '--adapter', adapter];
      run = ['train', await encodeLink(config), ...places, '--backend', 'wasm', '--anyway', '--out'];
    });
    afterAll(() => rmSync(project.folder, { recursive: true, force: true }));

    const path = (...names: string[]): string => join(project.folder, ...names);
    const rowsOf = (folder: string) => [
      ...metricsRows(readFileSync(path(folder, 'metrics.csv'), 'utf8')),
      ...evaluationsIn(readFileSync(path(folder, 'everything.jsonl'), 'utf8')),
    ];

    it('at the log, the checkpoint or the run file, the run resumes to the same rows', async () => {
      const whole = await command(project, ...run, 'whole');
      expect(whole.code, whole.output).toBe(0);
      const { size } = statSync(path('whole', 'run.marble'));
      for (const [name, blocks] of [
        ['log', 1],
        ['checkpoint', Math.floor(size / 2 / BLOCK)],
        ['run file', Math.floor(size / BLOCK)],
      ] as const) {
        const limited = ['-c', `ulimit -f ${blocks}; exec "$@"`, 'sh', ...commandLine(project, ...run, name)];
        const full = await start(project, 'sh', limited).ended;
        expect([name, full.code], full.output).toEqual([name, 1]);
        expect(full.output).toMatch(/command\/not-written: .*Free disk space/s);
        expect(readdirSync(path(name)).filter((file) => file.endsWith('.part'))).toEqual([]);
        const resumed = await command(project, ...run, name);
        expect([name, resumed.code], resumed.output).toEqual([name, 0]);
        expect(rowsOf(name)).toEqual(rowsOf('whole'));
      }
    });
  },
);
