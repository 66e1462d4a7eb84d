/** Threads of the wasm backend: the same bits as one thread, and a named error when a helper is gone. */
import { expect, it, onTestFinished } from 'vitest';
import { openEngine } from '../../src/gpu/engine';
import { startNodeHelper } from '../../src/gpu/threads/start-helper';
import type { Helper } from '../../src/gpu/threads/pool';
import { withSharedMemory } from '../../src/gpu/threads/shared-memory';
import { hashSteps, stepConfigs } from '../fixtures/step-hashes';

it.each(['ladder-398k, all weights', 'hitom-mini, LoRA'])(
  '%s: a step has the same bits on 1, 2 and 4 threads',
  async (name) => {
    const hashes = [];
    for (const threads of [1, 2, 4]) {
      const engine = await openEngine({ backend: 'wasm', threads });
      expect(engine.threads).toBe(threads);
      hashes.push(await hashSteps(engine, stepConfigs[name]));
      engine.dispose();
    }
    expect(hashes[1]).toEqual(hashes[0]);
    expect(hashes[2]).toEqual(hashes[0]);
  },
);

it('a helper that has ended fails the step with a named error', async () => {
  const helpers: Helper[] = [];
  let report = (): void => undefined;
  const engine = await openEngine({
    backend: 'wasm',
    threads: 2,
    startHelper: async (data) => {
      const helper = await startNodeHelper(data);
      helpers.push(helper);
      return {
        terminate: () => helper.terminate(),
        onEnd: (told) => {
          report = told;
          helper.onEnd(told);
        },
      };
    },
  });
  onTestFinished(() => engine.dispose());
  const ended = new Promise<void>((resolve) => helpers[0].onEnd(resolve));
  helpers[0].terminate();
  await ended;
  report();
  const step = hashSteps(engine, stepConfigs['ladder-12k, LoRA']);
  await expect(step).rejects.toThrow('A thread that computes a part of each step has stopped.');
});

it('one thread computes where no helper starts', async () => {
  const startHelper = () => Promise.reject(new Error('no worker'));
  const engine = await openEngine({ backend: 'wasm', threads: 2, startHelper });
  onTestFinished(() => engine.dispose());
  expect(engine.threads).toBe(1);
});

it('a module without one memory that has a maximum is refused', () => {
  const head = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  expect(() => withSharedMemory(Uint8Array.from(head))).toThrow('The module has no memory.');
  const unbounded = Uint8Array.from([...head, 5, 3, 1, 0, 1]);
  expect(() => withSharedMemory(unbounded)).toThrow('The memory has no maximum.');
  const bounded = withSharedMemory(Uint8Array.from([...head, 5, 4, 1, 1, 1, 2]));
  expect([...bounded.slice(-4)]).toEqual([1, 3, 1, 2]);
});
