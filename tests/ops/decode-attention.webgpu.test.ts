import '../fixtures/node-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Engine } from '../../src/gpu/engine';
import { openEngine } from '../../src/gpu/engine';
import {
  appendKeyValue,
  compactKeyValueCache,
  createKeyValueCache,
  decodeAttention,
  disposeKeyValueCache,
} from '../../src/ops/decode-attention';
import { withPlainTwins } from '../../src/ops/twin';
import type { Random } from '../../src/random';
import { asOn, BOTH_KINDS, expectClose, poison, randomTensor, seeded } from './fused-twins';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ backend: 'webgpu' });
});
afterAll(() => engine.dispose());

interface Scene {
  prefixLengths: number[];
  promptOf: number[];
  room: number;
  heads: number;
  kvHeads: number;
  headDim: number;
  steps: number;
  alive: number[];
}

/** Outputs of every step of one twin: some steps, a compaction, and more steps. */
function decodeScene(random: Random, scene: Scene): tf.Tensor[] {
  const { prefixLengths, promptOf, room, heads, kvHeads, headDim, steps, alive } = scene;
  const shape: [number, number, number, number] = [prefixLengths.length, room, kvHeads, headDim];
  const prompt = {
    k: randomTensor<tf.Rank.R4>(random, shape, 2),
    v: randomTensor<tf.Rank.R4>(random, shape),
  };
  poison([promptOf.length, 2 * steps, kvHeads * headDim], [promptOf.length, heads, headDim]);
  const cache = createKeyValueCache(prompt, prefixLengths, promptOf, 2 * steps);
  const outputs: tf.Tensor[] = [];
  const go = (rows: number): void => {
    for (let step = 0; step < steps; step++) {
      const [q, k, v] = [heads, kvHeads, kvHeads].map((count) =>
        randomTensor<tf.Rank.R3>(random, [rows, count, headDim], 2),
      );
      appendKeyValue(cache, k, v);
      outputs.push(decodeAttention(q, cache));
      tf.dispose([q, k, v]);
    }
  };
  go(promptOf.length);
  compactKeyValueCache(cache, alive);
  go(alive.length);
  disposeKeyValueCache(cache);
  return outputs;
}

describe.each(BOTH_KINDS)('as on %s', (kind) => {
  asOn(kind);

  describe.each<Scene>([
    {
      prefixLengths: [3, 5],
      promptOf: [0, 0, 1],
      room: 5,
      heads: 2,
      kvHeads: 2,
      headDim: 8,
      steps: 2,
      alive: [2, 0],
    },
    {
      prefixLengths: [70],
      promptOf: [0, 0],
      room: 72,
      heads: 3,
      kvHeads: 1,
      headDim: 6,
      steps: 3,
      alive: [1],
    },
    {
      prefixLengths: [1, 130, 64],
      promptOf: [2, 0, 1],
      room: 131,
      heads: 4,
      kvHeads: 2,
      headDim: 68,
      steps: 2,
      alive: [0, 2],
    },
  ])('decoding with prompts of $prefixLengths, heads of $headDim', (scene) => {
    it('equals the plain twin at every step, before and after a compaction', async () => {
      const fused = decodeScene(seeded('scene'), scene);
      const plain = await withPlainTwins(() => decodeScene(seeded('scene'), scene));
      for (let step = 0; step < plain.length; step++) await expectClose(fused[step], plain[step]);
    });
  });
});
