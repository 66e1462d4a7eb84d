import { openPoisoned } from '../fixtures/webgpu/poisoned';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { probeAdapter, type AdapterTraits } from '../../src/gpu/capabilities';
import type { Engine } from '../../src/gpu/engine';
import { openEngine } from '../../src/gpu/engine';
import { linearPlain } from '../../src/ops/linear';
import { adapterTraits, matrixProduct } from '../../src/ops/matmul';
import { normedInner } from '../../src/ops/norm-for/wgsl';
import { rmsNormPlain } from '../../src/ops/rms-norm';
import { verifySubgroups } from '../../src/ops/verify/subgroups';
import { sampled } from '../fixtures/sample';
import { asOn, BOTH_KINDS, expectClose, expectReference, onCpu, seeded } from './kernel-checks';
import { normOf } from './op-cases';
import { randomTensor } from './random-tensors';

const hasSubgroups = (await probeAdapter())!.features.has('subgroups');
if (!hasSubgroups) console.warn('SKIPPED: this adapter has no subgroups.');

/** Every form that any model uses. */
const all = { packed: true, adapter: true };

describe.skipIf(!hasSubgroups)('sums over subgroups', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openPoisoned();
  });
  afterAll(() => engine.dispose());

  describe.each(BOTH_KINDS)('as on %s', (kind) => {
    asOn(kind);
    beforeEach(() => {
      adapterTraits().subgroupSize = 0;
    });

    it('are used once they give what sums through workgroup memory give', async () => {
      expect(await verifySubgroups(engine, all)).toBe(true);
      expect(adapterTraits().subgroupSize).toBe(engine.capabilities!.subgroupSize);
      const tensors = tf.memory().numTensors;
      const { dispatches } = engine.counts();
      expect(await verifySubgroups(engine, all)).toBe(true);
      expect(engine.counts().dispatches).toBe(dispatches);
      expect(tf.memory().numTensors).toBe(tensors);
    });

    it.each([
      [1, 5, 16],
      [7, 9, 301],
      [16, 33, 64],
    ])(
      'multiply %i rows to %i outputs of %i inputs as the reference implementation does',
      async (rows, outputs, inputs) => {
        expect(await verifySubgroups(engine, all)).toBe(true);
        const random = seeded(`few ${rows}`);
        const x = randomTensor<tf.Rank.R2>(random, [rows, inputs]);
        const data = randomTensor<tf.Rank.R2>(random, [outputs, inputs]);
        const run = (): tf.Tensor2D =>
          matrixProduct('nt', x, { format: 'f32', data, rows: outputs, columns: inputs }, {}, 'few-rows');
        await expectClose(run(), linearPlain(x, { format: 'f32', data, outputs, inputs, trainable: false }));
        const first = await run().data();
        for (let time = 1; time < 12; time++) expect(await run().data()).toEqual(first);
      },
    );

    it.each([
      [1, 7],
      [33, 260],
    ])('normalise %i rows of %i, and go back, as the reference implementation does', async (rows, width) => {
      expect(await verifySubgroups(engine, all)).toBe(true);
      await expectReference(`norm ${rows}`, normOf(rows, width));
    });

    // a software adapter shares sums among fewer invocations than a subgroup of eight has
    it.each([
      [1, 9, 24],
      [2, 64, 7],
      [5, 36, 8],
    ])(
      'normalise %i rows of %i and multiply them to %i inner outputs as the reference implementation does',
      async (rows, width, outputs) => {
        expect(await verifySubgroups(engine, all)).toBe(true);
        const random = seeded(`inner ${rows}`);
        const x = randomTensor<tf.Rank.R2>(random, [rows, width], 3);
        const gain = randomTensor<tf.Rank.R1>(random, [width]);
        const a = randomTensor<tf.Rank.R2>(random, [outputs, width]);
        const [norm, product] = await onCpu(() => {
          const h = rmsNormPlain(x, gain, 1e-5);
          return [h, tf.matMul<tf.Tensor2D>(h, a, false, true)];
        });
        const { y, inner } = normedInner(x, gain, 1e-5, a);
        await expectClose(y, norm);
        await expectClose(inner, product);
      },
    );
  });

  describe('where invocations do not stand as the kernels take it', () => {
    asOn('a graphics card');

    const low = ['low rank backward, inner', { packed: false, adapter: true }] as const;
    const wide = ['few rows 16x1x1x64 bf16', { packed: true, adapter: false }] as const;
    const others = [
      ['few rows 8x1x1x64 f32', { packed: false, adapter: false }],
      ['few rows 4x1x1x64 bf16', { packed: true, adapter: false }],
      ['few rows 8x1x1x64 bf16', { packed: true, adapter: false }],
    ] as const;

    it.each(sampled([low], [low, wide, ...others]))(
      'are not used, though it be in one kernel alone: %s',
      async (name, uses) => {
        engine.dispose();
        engine = await openEngine({ backend: 'webgpu' }); // which has compiled nothing
        const backend = tf.backend() as unknown as { device: GPUDevice; traits: AdapterTraits };
        backend.traits = { ...backend.traits, isSoftware: false };
        const make = backend.device.createShaderModule.bind(backend.device);
        const changed: string[] = [];
        // as a driver that gives this kernel subgroups of another size: all shares but the first are lost
        backend.device.createShaderModule = (descriptor) => {
          if (descriptor.label !== name || !descriptor.code.includes('subgroup_lane == 0u'))
            return make(descriptor);
          changed.push(name);
          return make({
            ...descriptor,
            code: descriptor.code.replaceAll('subgroup_lane == 0u', 'local.x == 0u'),
          });
        };
        expect(await verifySubgroups(engine, uses)).toBe(false);
        expect(changed).toEqual([name]);
      },
    );

    it('are not used', async () => {
      adapterTraits().subgroupSize = 0;
      // as if subgroups had 64 invocations: then several subgroups leave their shares at the same place
      expect(await verifySubgroups(engine, all, 64)).toBe(false);
      expect(adapterTraits().subgroupSize).toBe(0);
    });
  });
});
