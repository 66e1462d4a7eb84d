/** What may go wrong with a real model: every failure has a name, and what was stored resumes to the same bits. */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesIn } from '../../src/command/model-places';
import { heapAllocate, heapModule } from '../../src/gpu/wasm-heap';
import { algorithms, encodeLink, loadPolicy, openEngine, presets, train, type Checkpoint, type Engine, type Policy, type RunConfig } from '../../src/index'; // prettier-ignore
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

describe.skipIf(!hasRealModel())('SmolLM2-135M-Instruct under fire', () => {
  describe('with memory that runs out', () => {
    let engine: Engine;
    let policy: Policy;
    let start: Checkpoint['policy'];
    beforeAll(async () => {
      engine = await openEngine({ backend: 'wasm' });
      const files = await filesIn(sharedPath(realModelFile));
      policy = await loadPolicy(engine, { files }, { adapter: { files: await filesIn(adapter) } });
      start = await policy.state();
    });
    afterAll(() => engine.dispose());

    interface Ended {
      checkpoint: Checkpoint | null;
      code: string | null;
    }

    /** Trains and, at the first report of `phase` in `step`, fills the heap until the run has ended. */
    async function trained(phase: string | null, resume?: Checkpoint): Promise<Ended> {
      let release = (): void => {};
      let isFull = false;
      const ended: Ended = { checkpoint: null, code: null };
      const events = train(engine, policy, config, resume, { anyway: true, isPlanned: true });
      for await (const event of events) {
        if (event.type === 'checkpoint') ended.checkpoint = event.checkpoint;
        if (event.type === 'failed') ended.code = event.error.code;
        if (event.type === 'progress' && event.step === 2 && event.phase === phase && !isFull) {
          isFull = true;
          release = fillHeap();
        }
      }
      release();
      return ended;
    }

    it('in any phase of a step, the run resumes from its last checkpoint to the same bits', async () => {
      const whole = await trained(null);
      expect(whole.code).toBeNull();
      for (const phase of ['rollout', 'reference', 'update']) {
        policy.restore(start);
        const cut = await trained(phase);
        expect([phase, cut.code]).toEqual([phase, 'gpu/out-of-memory']);
        expect([phase, cut.checkpoint?.step]).toEqual([phase, 1]);
        const resumed = await trained(null, cut.checkpoint!);
        expect([phase, resumed.checkpoint?.step]).toEqual([phase, 2]);
        expect(Buffer.compare(bytesOf(resumed), bytesOf(whole))).toBe(0);
      }
    });

    const bytesOf = ({ checkpoint }: Ended): Buffer => Buffer.from(checkpoint!.policy.parameters.buffer);
  });

  describe.skipIf(process.platform === 'win32')('with a full disk', () => {
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
  });
});

/** Takes all of the heap and lets it grow no further. Returns a function that undoes both. */
function fillHeap(): () => void {
  const { asm } = heapModule();
  const { memory } = asm;
  memory.grow = () => {
    throw new RangeError('WebAssembly.Memory.grow(): Maximum memory size exceeded');
  };
  const taken: number[] = [];
  for (const size of [2 ** 22, 2 ** 16, 2 ** 10]) {
    try {
      for (;;) taken.push(heapAllocate(size));
    } catch {
      // No block of this size is left.
    }
  }
  return () => {
    for (const address of taken) heapModule()._free(address);
    delete (memory as Partial<WebAssembly.Memory>).grow;
  };
}
