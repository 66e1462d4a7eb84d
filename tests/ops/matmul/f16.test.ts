/** When f16 is taken and when not, without a GPU: the adapter, its products and its timings are stubs. */
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-cpu';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AdapterTraits } from '../../../src/gpu/capabilities';
import type { Engine } from '../../../src/gpu/engine';
import type { matrixProduct } from '../../../src/ops/matmul';
import {
  chooseTile,
  f16Tile,
  rememberTile,
  restoreTiles,
  tileCode,
  tilesOfCode,
  tunedTiles,
  type ProductShape,
  type TileChoice,
} from '../../../src/ops/matmul/tiles';
import { fastestTile } from '../../../src/ops/matmul/tune';
import { verifyF16 } from '../../../src/ops/verify/f16';

const card = (...f16: AdapterTraits['f16']): AdapterTraits => ({
  isSoftware: false,
  maxBindingBytes: 2 ** 27,
  maxWorkgroupBytes: 32768,
  maxInvocations: 256,
  subgroupSize: 0,
  f16,
});
const backward: ProductShape = { direction: 'nn', format: 'f32', m: 512, n: 896, k: 896 };
const forward: ProductShape = { ...backward, direction: 'nt' };
const inF16 = (tile: TileChoice): boolean => typeof tile === 'object' && 'half' in tile;

describe('the check', () => {
  const engine = (...features: string[]): Engine =>
    ({ backend: 'webgpu', capabilities: { features } }) as unknown as Engine;
  let traits: AdapterTraits;
  beforeEach(async () => {
    await tf.setBackend('cpu');
    traits = card();
    Object.assign(tf.backend(), { traits });
  });

  /** Products whose f16 form is off by `error`, value by value. */
  const off = (error: (value: number) => number): typeof matrixProduct => {
    return (_direction, a, b, _epilogue, tile) =>
      tf.tidy(() => {
        const exact = tf.matMul<tf.Tensor2D>(a, b.data);
        return inF16(tile!) ? tf.tensor2d(exact.dataSync().map(error), exact.shape) : exact;
      });
  };

  it('lets products use f16 that are right within the tolerance', async () => {
    const rounded = off((value) => (1 + 2 ** -12) * value);
    expect(await verifyF16(engine('shader-f16'), 'f32', rounded)).toBe(true);
    expect(traits.f16).toEqual(['f32']);
  });

  it('asks nothing of a device without the feature', async () => {
    const never = (): never => expect.unreachable();
    expect(await verifyF16(engine('subgroups'), 'f32', never)).toBe(false);
    expect(traits.f16).toEqual([]);
  });

  it.each<[string, (value: number) => number]>([
    ['are off by a five-hundredth', (value) => 1.002 * value],
    ['lose the smallest rows', (value) => (Math.abs(value) < 1e-7 ? 0 : value)],
    ['overflow in the largest', (value) => (value > 65504 ? Infinity : value)],
    ['leave a row unwritten', (value) => (value === 0 ? NaN : value)],
    ['write rows of zeros as something else', (value) => value || 1e-30],
  ])('refuses products that %s', async (_what, error) => {
    const tensors = tf.memory().numTensors;
    expect(await verifyF16(engine('shader-f16'), 'f32', off(error))).toBe(false);
    expect(traits.f16).toEqual([]);
    expect(tf.memory().numTensors).toBe(tensors);
  });
});

describe('the timing', () => {
  /** The choice where tiles of f16 take `ms` and others 10, but one of them 5; and all that were timed. */
  async function chosen(shape: ProductShape, traits: AdapterTraits, ms: number) {
    const timed: TileChoice[] = [];
    const choice = await fastestTile(shape, traits, (tile) => {
      timed.push(tile);
      return Promise.resolve(inF16(tile) ? ms : timed.length === 3 ? 5 : 10);
    });
    return { choice, timed };
  }

  it('takes the f16 form of the fastest tile where that is faster still', async () => {
    const { choice, timed } = await chosen(backward, card('f32'), 4);
    expect(choice).toEqual({ ...(timed[2] as object), half: true });
    expect(timed.filter(inF16)).toHaveLength(1);
  });

  it('leaves it where it is slower', async () => {
    const { choice, timed } = await chosen(backward, card('f32'), 6);
    expect(choice).toEqual(timed[2]);
  });

  it('never asks for it where the check did not pass, nor for a product forward', async () => {
    for (const [shape, traits] of [
      [backward, card()],
      [forward, card('f32')],
      [{ ...backward, direction: 'tn' }, card('f32')],
    ] as const) {
      const { choice, timed } = await chosen(shape, traits, 1);
      expect(choice).toEqual(timed[2]);
      expect(timed.some(inF16)).toBe(false);
    }
  });

  it('chooses among what was timed when the time is over', async () => {
    let left = 2;
    const time = () => (left-- > 0 ? Promise.resolve(left) : null);
    expect(await fastestTile(backward, card('f32'), time)).not.toBeNull();
    expect(await fastestTile(backward, card('f32'), () => null)).toBeNull();
  });
});

it('a product forward in f16 has a choice of its own, in a link as well', () => {
  const traits = card();
  const half = { ...forward, format: 'bf16', half: true } as const;
  const full = { ...forward, format: 'bf16' } as const;
  const tile = { kind: 'workgroup', rows: 4, columns: 4, across: 16, down: 4 } as const;
  expect(chooseTile(half, traits)).toEqual(chooseTile(full, traits));
  rememberTile(half, tile, traits);
  expect(chooseTile(half, traits)).toEqual(tile);
  expect(chooseTile(full, traits)).not.toEqual(tile);
  const again = card();
  restoreTiles(tilesOfCode([half, full], tileCode([half, full], tunedTiles(traits))), again);
  expect(tunedTiles(again)).toEqual(tunedTiles(traits));
});

describe('a run that was begun with f16 tiles', () => {
  const tile = f16Tile({ kind: 'workgroup', rows: 8, columns: 4, across: 16, down: 16 });
  const kept = { 'nn f32 512x896x896': tile, 'nt f32 512x896x896': tile };

  it('goes on with them where the check passed, for gradients only', () => {
    const traits = card('f32');
    restoreTiles(JSON.parse(JSON.stringify(kept)) as typeof kept, traits);
    expect(tunedTiles(traits)).toEqual({ 'nn f32 512x896x896': tile });
    expect(chooseTile(backward, traits)).toEqual(tile);
  });

  it('goes on in f32 with the choice by rule elsewhere, as with tiles that do not fit', () => {
    const traits = card();
    restoreTiles(kept, traits);
    expect(tunedTiles(traits)).toEqual({});
    expect(inF16(chooseTile(backward, traits))).toBe(false);
    const small = { ...card('f32'), maxWorkgroupBytes: 16384 }; // the tile stages 24 KiB
    const fitting = { kind: 'register', rows: 4, columns: 4, across: 8, down: 8 } as const;
    restoreTiles({ ...kept, 'tn f32 896x896x512': fitting }, small);
    expect(tunedTiles(small)).toEqual({ 'tn f32 896x896x512': fitting });
  });
});
