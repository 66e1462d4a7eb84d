import { openPoisoned } from '../fixtures/webgpu/poisoned';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { jointLinear, type JointProjection } from '../../src/ops/joint-linear';
import { normFor } from '../../src/ops/norm-for';
import { rmsNorm } from '../../src/ops/rms-norm';
import { asOn, BOTH_KINDS, expectClose, onCpu, seeded } from './kernel-checks';
import { engine, openEngineForAll } from '../fixtures/engine';
import { randomJoint } from './op-cases';
import { randomTensor } from './random-tensors';

openEngineForAll(openPoisoned);

const EPSILON = 1e-5;

interface Scene {
  x: tf.Tensor2D;
  gain: tf.Tensor1D;
  joint: JointProjection;
}

function scene(rows: number, width: number, segments: readonly number[], rank: number): Scene {
  const random = seeded(`${rows} x ${width}`);
  return {
    x: randomTensor(random, [rows, width]),
    gain: randomTensor(random, [width]),
    joint: { ...randomJoint(random, 'f32', segments, width, rank), bias: null },
  };
}

const project = ({ x, gain, joint }: Scene): tf.Tensor2D => jointLinear(...normFor(x, gain, EPSILON, joint));

describe.each(BOTH_KINDS)('as on %s', (kind) => {
  asOn(kind);

  // one row, several rows of a workgroup with some missing, widths that four does not divide, and ranks that it does not
  it.each([
    [1, 16, [12, 4, 4], 8],
    [2, 7, [6], 3],
    [5, 19, [18, 6, 6], 6],
    [13, 260, [9, 9], 16],
    [64, 36, [20], 33],
  ])(
    'the norm of %i rows of %i for %j outputs with an adapter of rank %i equals its reference implementation',
    async (rows, width, segments, rank) => {
      const given = scene(rows, width, segments, rank);
      const [norm, product] = await onCpu(() => [rmsNorm(given.x, given.gain, EPSILON), project(given)]);
      const [h, { adapter }] = normFor(given.x, given.gain, EPSILON, given.joint);
      expect(adapter!.inner!.shape).toEqual([rows, segments.length * rank]);
      await expectClose(h, norm);
      await expectClose(project(given), product, 5e-5);
    },
  );

  it('one kernel gives both, and beyond 64 rows and for a gradient they are two', () => {
    const dispatches = (run: () => unknown): number => {
      const before = engine.counts().dispatches;
      run();
      return engine.counts().dispatches - before;
    };
    expect(dispatches(() => project(scene(64, 12, [8], 4)))).toBe(2);
    expect(dispatches(() => project(scene(65, 12, [8], 4)))).toBe(3);
    const few = scene(3, 12, [8], 4);
    expect(dispatches(() => project({ ...few, joint: { ...few.joint, adapter: null } }))).toBe(2);
    const handed: JointProjection[] = [];
    tf.grad((x: tf.Tensor) => {
      const [h, joint] = normFor(x as tf.Tensor2D, few.gain, EPSILON, few.joint);
      handed.push(joint);
      return jointLinear(h, joint);
    })(few.x);
    expect(handed[0]).toBe(few.joint);
  });
});

describe('on a software adapter', () => {
  asOn('a software adapter');

  it.each([
    [1, 37],
    [2, 64],
    [3, 37],
    [21, 64],
  ])('%i rows of %i have the bits of the two kernels', async (rows, width) => {
    const given = scene(rows, width, [10, 5], 6);
    const apart = jointLinear(rmsNorm(given.x, given.gain, EPSILON), given.joint);
    expect(Array.from(await project(given).data())).toEqual(Array.from(await apart.data()));
  });
});
