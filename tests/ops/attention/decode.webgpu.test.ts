import { openSharedEngine } from '../../fixtures/webgpu/shared-device';
import * as tf from '@tensorflow/tfjs-core';
import { describe, it } from 'vitest';
import {
  attendNewToken,
  compactKeyValueCache,
  createKeyValueCache,
  disposeKeyValueCache,
  type KeyValueCache,
} from '../../../src/ops/decode-attention';
import { toBfloat16, toFloat32 } from '../../../src/model/files/half-floats';
import type { HeadNorms } from '../../../src/ops/project-heads';
import { disposeTables, ropeTables, rotaryFrequencies, rotationAt } from '../../../src/ops/rope';
import type { Random } from '../../../src/base/random';
import { asOn, BOTH_KINDS, expectClose, onCpu, poison, randomTensor, seeded } from '../kernel-checks';
import { passedOn } from '../passed-on';
import { openEngineForAll } from '../../fixtures/engine';

openEngineForAll(openSharedEngine);

interface Scene {
  prefixLengths: number[];
  promptOf: number[];
  room: number;
  heads: number;
  kvHeads: number;
  headDim: number;
  steps: number;
  alive: number[];
  headNorm: boolean;
}

/** As the kernel holds the keys and values of sampled tokens of wide heads. */
function roundToBf16(cache: KeyValueCache, room: number): void {
  if (cache.kind !== 'plain') return;
  const rounded = (tensor: tf.Tensor4D): tf.Tensor4D => {
    const shared = tf.slice(tensor, [0, 0, 0, 0], [-1, room, -1, -1]);
    const own = tf.slice(tensor, [0, room, 0, 0], [-1, -1, -1, -1]);
    const values = toBfloat16(own.dataSync<'float32'>());
    const nearest = toFloat32(new Uint8Array(values.buffer), 'BF16');
    const joined = tf.keep(tf.concat([shared, tf.tensor4d(nearest, own.shape)], 1));
    tf.dispose([tensor, shared, own]);
    return joined;
  };
  cache.keys = rounded(cache.keys);
  cache.values = rounded(cache.values);
}

/** Outputs of every step of one twin: some steps, a compaction, and more steps. */
function decodeScene(random: Random, scene: Scene): tf.Tensor[] {
  const { prefixLengths, promptOf, room, heads, kvHeads, headDim, steps, alive } = scene;
  const shape: [number, number, number, number] = [prefixLengths.length, room, kvHeads, headDim];
  const prompt = {
    k: randomTensor<tf.Rank.R4>(random, shape, 2),
    v: randomTensor<tf.Rank.R4>(random, shape),
  };
  const norms: HeadNorms | null = scene.headNorm
    ? { q: randomTensor(random, [headDim], 2), k: randomTensor(random, [headDim], 2), epsilon: 1e-3 }
    : null;
  poison([promptOf.length, 2 * steps, kvHeads * headDim], [promptOf.length, heads * headDim]);
  const cache = createKeyValueCache(prompt, prefixLengths, promptOf, 2 * steps);
  const tables = ropeTables(room + 2 * steps, rotaryFrequencies(headDim, 100));
  const projection = passedOn([heads, kvHeads, kvHeads].map((count) => count * headDim));
  const outputs: tf.Tensor[] = [];
  const go = (rows: readonly number[], before: number): void => {
    for (let step = 0; step < steps; step++) {
      const qkv = randomTensor<tf.Rank.R2>(random, [rows.length, (heads + 2 * kvHeads) * headDim], 2);
      const positions = Int32Array.from(rows, (row) => prefixLengths[promptOf[row]] + before + step);
      outputs.push(attendNewToken(qkv, projection, cache, rotationAt(tables, positions), norms));
      if (headDim >= 64) roundToBf16(cache, room);
    }
  };
  go([...promptOf.keys()], 0);
  compactKeyValueCache(cache, alive);
  go(alive, steps);
  disposeKeyValueCache(cache);
  disposeTables(tables);
  return outputs;
}

const sized = (heads: number, kvHeads: number, headDim: number) => ({ heads, kvHeads, headDim });

describe.each(BOTH_KINDS)('as on %s', (kind) => {
  asOn(kind);

  it.each<Scene>([
    {
      ...sized(2, 2, 8),
      prefixLengths: [3, 5],
      promptOf: [0, 0, 1],
      room: 5,
      steps: 2,
      alive: [2, 0],
      headNorm: true,
    },
    {
      ...sized(3, 1, 6),
      prefixLengths: [70],
      promptOf: [0, 0],
      room: 72,
      steps: 3,
      alive: [1],
      headNorm: false,
    },
    {
      ...sized(4, 2, 68),
      prefixLengths: [1, 130, 64],
      promptOf: [2, 0, 1],
      room: 131,
      steps: 2,
      alive: [0, 2],
      headNorm: true,
    },
  ])(
    'with prompts of $prefixLengths, heads of $headDim, decoding equals the reference implementation at every step, before and after a compaction',
    async (scene) => {
      const plain = await onCpu(() => decodeScene(seeded('scene'), scene));
      const fused = decodeScene(seeded('scene'), scene);
      for (let step = 0; step < plain.length; step++) await expectClose(fused[step], plain[step]);
    },
  );
});
