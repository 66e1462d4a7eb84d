/** A long run's memory at its last step equals that of an early one, except for its records. */
import * as tf from '@tensorflow/tfjs-core';
import { setFlagsFromString, serialize } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { openEngine } from '../../../src/gpu/engine';
import { train } from '../../../src/rl/trainer';
import type { RunConfig } from '../../../src/run/config/config';
import type { TrainerEvent } from '../../../src/run/record/events';
import { createRunStore } from '../../../src/store/runs';
import { newRunRecord } from '../../../src/run/record/new-run';
import { sampled } from '../../fixtures/sample';
import { createMemoryStore, type Entry } from '../../store/memory-store';
import { smallConfig, smallTransformer } from '../runs';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Reachable bytes: of objects, and of their external buffers. */
function heldBytes(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const bytesOf = (entries: readonly Entry[], ...kinds: string[]): number =>
  entries
    .filter(([[kind]]) => kinds.includes(kind as string))
    .reduce((sum, [, value]) => sum + serialize(value).length, 0);

const logOf = ['step', 'rollouts', 'eval', 'alert'];

const small = smallConfig();
const config = (steps: number): RunConfig => ({
  ...small,
  steps,
  rollout: { promptsPerStep: 2, samplesPerPrompt: 2, temperature: 1, maxNewTokens: 8 },
  evaluation: { ...small.evaluation, every: 10, items: 2 },
  algorithm: { ...small.algorithm, lengthPenalty: 1 },
  checkpointEvery: 1,
});

it('a long run has constant tensors and bytes', { tags: ['long'], timeout: 600_000 }, async () => {
  const steps = sampled(40, 500);
  const engine = await openEngine({ backend: 'wasm' });
  const policy = await smallTransformer(engine);
  const memory = createMemoryStore();
  const store = createRunStore(memory.use);
  const { id } = await store.createRun(newRunRecord(config(steps), 'long', {}));
  /** `held` is without the log, and `log` has the bytes of the steps since the previous look. */
  const looks: Record<'step' | 'tensors' | 'bytes' | 'held' | 'log' | 'kept', number>[] = [];
  let waiting: TrainerEvent[] = [];
  for await (const event of train(policy, config(steps))) {
    if (event.type !== 'checkpoint') {
      waiting.push(event);
      continue;
    }
    const { step } = event.checkpoint;
    await store.saveCheckpoint(id, event.checkpoint, waiting);
    waiting = [];
    if (step % (steps / 4) !== 0) continue;
    const { numTensors, numBytes } = tf.memory();
    const entries = memory.entries();
    const log = bytesOf(entries, ...logOf);
    const weightBytes = bytesOf(entries, 'weights', 'checkpoint');
    // A browser stores the log on disk. Here the log would be most of the memory, because objects take several times
    // their serialised size.
    await memory.use('readwrite', (all) => {
      for (const kind of logOf) all.delete(IDBKeyRange.bound([kind], [kind, []]));
    });
    looks.push({ step, tensors: numTensors, bytes: numBytes, held: heldBytes(), log, kept: weightBytes });
  }
  policy.dispose();
  engine.dispose();
  expect(looks.map(({ step }) => step)).toEqual([1, 2, 3, 4].map((quarter) => (quarter * steps) / 4));
  const [first, second, , last] = looks;
  for (const look of looks) expect(look).toMatchObject({ tensors: first.tensors, bytes: first.bytes });
  // Two generations of weights, for any number of steps.
  expect(last.kept).toBeLessThan(1.1 * second.kept);
  // Every step adds the same number of bytes to the log.
  expect(last.log).toBeLessThan(1.2 * second.log);
  // Memory apart from the stored log does not grow with the steps. The margin allows for code that this process still
  // compiles.
  expect(last.held - second.held).toBeLessThan(sampled(4e6, 2e6));
});
