/** A helper thread or the memory that is lost while a real model trains: the run resumes to the same bits. */
import { beforeAll, describe, expect, it } from 'vitest';
import { filesIn } from '../../src/command/model-places';
import { fnv1a } from '../../src/base/digest';
import { loadPolicy, openEngine, presets, train, type Checkpoint, type Engine, type RunConfig } from '../../src/index'; // prettier-ignore
import { algorithms } from '../../src/objective/algorithm';
import { heapAllocate, heapModule } from '../../src/gpu/wasm-heap';
import { openWithHelper } from '../gpu/threads/ended-helper';
import { folderForAll } from '../fixtures/folder';
import { hasRealModel, writeRealModel } from './model';

const config: RunConfig = {
  ...presets['first-run-135m'],
  training: { mode: 'lora', rank: 8, alpha: 16 },
  algorithm: algorithms['reinforce++'], // has a reference phase
  rollout: { promptsPerStep: 1, samplesPerPrompt: 4, temperature: 1, maxNewTokens: 8 },
  steps: 2,
  evaluation: { every: 2, items: 1, finalItems: 1, hardItems: 0, seed: 7 },
  checkpointEvery: 1,
};

/** From 0 to 5, and different for almost any two answers, so that each step changes the weights. */
const reward = (completion: string): number => (fnv1a(completion) % 101) / 20;

/** An engine, and what takes a part of it away. */
interface Opened {
  engine: Engine;
  lose: () => Promise<void> | void;
  /** Gives it back after the run. */
  restore?: () => void;
}

const openThreads = async (): Promise<Opened> => {
  const { engine, endHelper } = await openWithHelper();
  return { engine, lose: endHelper };
};

const openHeap = async (): Promise<Opened> => {
  const engine = await openEngine({ backend: 'wasm' });
  let restore = (): void => {};
  return { engine, lose: () => void (restore = fillHeap()), restore: () => restore() };
};

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

interface Ended {
  code: string | null;
  checkpoint?: Checkpoint;
}

describe.skipIf(!hasRealModel())('SmolLM2-135M-Instruct in training', () => {
  const model = folderForAll('losses');
  beforeAll(() => writeRealModel(model));

  /** Trains, and takes the part away at the first report of `phase` in step 2. */
  async function trained(open: () => Promise<Opened>, phase?: string, resume?: Checkpoint): Promise<Ended> {
    const { engine, lose, restore } = await open();
    const { training } = config;
    const lora = training.mode === 'lora' ? training : undefined;
    const policy = await loadPolicy(engine, { files: await filesIn(model) }, { lora });
    const ended: Ended = { code: null };
    let isLost = false;
    for await (const event of train(engine, policy, config, resume, { reward, isPlanned: true })) {
      if (event.type === 'checkpoint') ended.checkpoint = event.checkpoint;
      if (event.type === 'failed' || event.type === 'lost') ended.code = event.error.code;
      if (isLost || event.type !== 'progress' || event.step !== 2 || event.phase !== phase) continue;
      isLost = true;
      await lose();
    }
    restore?.();
    engine.dispose();
    return ended;
  }

  async function expectSameBits(open: () => Promise<Opened>, code: string, phases: string[]): Promise<void> {
    const whole = await trained(open);
    expect(whole).toMatchObject({ code: null, checkpoint: { step: 2 } });
    for (const phase of phases) {
      const cut = await trained(open, phase);
      expect(cut, phase).toMatchObject({ code, checkpoint: { step: 1 } });
      expect(cut.checkpoint!.policy.parameters).not.toEqual(whole.checkpoint!.policy.parameters);
      const resumed = await trained(open, undefined, cut.checkpoint);
      expect(resumed, phase).toMatchObject({ code: null, checkpoint: { step: 2 } });
      const [bits, expected] = [resumed, whole].map((run) => run.checkpoint!.policy.parameters.buffer);
      expect(Buffer.compare(Buffer.from(bits), Buffer.from(expected)), phase).toBe(0);
    }
  }

  it('loses a helper thread in any phase of step 2 and resumes from step 1 to the same bits', () =>
    expectSameBits(openThreads, 'gpu/helper-lost', ['rollout', 'reference', 'update']));

  it('runs out of memory in any phase of step 2 and resumes from step 1 to the same bits', () =>
    expectSameBits(openHeap, 'gpu/out-of-memory', ['rollout', 'reference', 'update']));
});
