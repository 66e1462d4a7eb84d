/**
 * What an adapter takes for one of each kind of work that the cost model counts: each by a kernel of that kind, run alone and
 * often, most of them the engine's own. None is fitted to a step.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Engine } from '../src/gpu/engine';
import { defineKernel, emptyTensor, foldedWorkgroups, runKernel } from '../src/gpu/kernel';
import { secondsOf, type Card, type Work } from '../src/model/device/cost-model';
import { matrixProduct, type StoredMatrix } from '../src/ops/matmul';
import { rmsNormFused } from '../src/ops/rms-norm/wgsl';
import type { WeightFormat } from '../src/ops/lib/weight-load.wgsl';

/** A kernel that does little but one kind of work. */
interface Probe {
  finds: keyof Work;
  work: Partial<Work>;
  run: () => void;
}

interface Probes {
  /** For each probe a run that takes some 20 ms. */
  runs: (() => Promise<void>)[];
  /** @param times one for each run */
  card(times: readonly Measured[], by: keyof Measured): Card;
  dispose(): void;
}

/** Of one run. */
export interface Measured {
  /** Wall time, in milliseconds. */
  ms: number;
  /** CPU time of this process, in milliseconds; says more than `ms` on a busy machine. */
  cpuMs: number;
}

/** The simplest kernel there is. */
const copy = defineKernel({
  name: 'copy',
  inputs: { x: 'vec4<f32>' },
  outputs: { y: 'vec4<f32>' },
  uniforms: { size: 'u32' },
  workgroupSize: [256, 1, 1],
  body: `
    let i = (group.y * groups.x + group.x) * 256u + lane;
    if (i < uniforms.size) { y[i] = x[i]; }`,
});

/** Some finite values; products take as long whatever they are. */
function matrix(rows: number, columns: number): tf.Tensor2D {
  return tf.tidy(() => tf.reshape(tf.sin(tf.range(0, rows * columns)), [rows, columns]));
}

function stored(format: WeightFormat, outputs: number, inputs: number): StoredMatrix {
  const shape = { rows: outputs, columns: inputs };
  if (format === 'f32') return { format, data: matrix(outputs, inputs), ...shape };
  return { format, data: tf.fill([(outputs * inputs) / 2], 0x3f803f80, 'int32'), ...shape };
}

/** In an order in which each kind of work is found by those before it. */
function probes(isSoftware: boolean): { list: Probe[]; dispose: () => void } {
  const larger = isSoftware ? 1 : 16; // a graphics card would be idle over what keeps a processor busy
  const kept: tf.Tensor[] = [];
  const keep = <T extends tf.Tensor>(tensor: T): T => {
    kept.push(tf.keep(tensor));
    return tensor;
  };

  // two kernels by turns with next to nothing to do, of which each reads what the other has written
  const [joint, gain] = [stored('f32', 4, 4), keep(tf.ones<tf.Rank.R1>([4]))];
  keep(joint.data);
  let last = tf.keep(matrix(8, 4));
  const two = (): void => {
    const next = tf.tidy(() => matrixProduct('nt', rmsNormFused(last, gain, 1e-6), joint));
    last.dispose();
    last = tf.keep(next);
  };

  const size = larger * 4 * 1024 * 1024;
  const [from, to] = [keep(tf.zeros([size])), keep(emptyTensor<tf.Rank.R1>([size]))];
  const copying = (): void =>
    runKernel(copy, {
      inputs: { x: from },
      outputs: { y: to },
      uniforms: { size: size / 4 },
      workgroups: foldedWorkgroups(size / 4 / 256),
    });

  const [m, n, k] = [128 * larger, 896, 896];
  const [x, w] = [keep(matrix(m, k)), stored('bf16', n, k)];
  keep(w.data);
  return {
    list: [
      { finds: 'dispatches', work: { dispatches: 2 }, run: two },
      { finds: 'bytes', work: { bytes: 8 * size }, run: copying },
      { finds: 'flops', work: { flops: 2 * m * n * k }, run: () => matrixProduct('nt', x, w).dispose() },
    ],
    dispose: () => tf.dispose([last, ...kept]),
  };
}

/** Milliseconds that a run of a probe takes at least, so that waiting for its end is little of it. */
const LEAST_MS = 20;

export async function openProbes(engine: Engine): Promise<Probes> {
  const { list, dispose } = probes(engine.capabilities!.isSoftware);
  const counts: number[] = [];
  const repeated = async (run: () => void, count: number): Promise<void> => {
    for (let i = 0; i < count; i++) run();
    await engine.check();
  };
  for (const { run } of list) {
    await repeated(run, 1); // compiles
    for (let count = 4; ; count *= 2) {
      const begun = performance.now();
      await repeated(run, count);
      if (performance.now() - begun < LEAST_MS) continue;
      counts.push(count);
      break;
    }
  }
  return {
    runs: list.map(
      ({ run }, index) =>
        () =>
          repeated(run, counts[index]),
    ),
    card: (times, by) =>
      solve(
        list,
        times.map((time, index) => time[by] / 1000 / counts[index]),
      ),
    dispose,
  };
}

/** What each kind of work costs beyond what the kinds before it explain. */
function solve(list: readonly Probe[], seconds: readonly number[]): Card {
  const card: Card = { bytesPerSecond: Infinity, flopsPerSecond: Infinity, secondsPerDispatch: 0 };
  list.forEach(({ finds, work }, index) => {
    const done = { flops: 0, bytes: 0, dispatches: 1, ...work };
    const beyond = Math.max(1e-12, seconds[index] - secondsOf({ ...done, bytes: 0 }, card));
    if (finds === 'dispatches') card.secondsPerDispatch = seconds[index] / done.dispatches;
    else if (finds === 'bytes') card.bytesPerSecond = done.bytes / beyond;
    else card.flopsPerSecond = done.flops / beyond;
  });
  return card;
}
