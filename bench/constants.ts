/**
 * What an adapter takes for one of each kind of work that the cost model counts: each by a kernel of that kind, run alone and
 * often, most of them the engine's own. None is fitted to a step.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Engine } from '../src/gpu/engine';
import { defineKernel, emptyTensor, foldedWorkgroups, runKernel } from '../src/gpu/kernel';
import { smallWork, secondsOf, type Card, type Work } from '../src/model/device/cost-model';
import { attendNewTokenFused, createFusedCache, disposeFused } from '../src/ops/decode-attention/wgsl';
import { sharedPrefixAttentionFused } from '../src/ops/attention/wgsl';
import { matrixProduct, type StoredMatrix } from '../src/ops/matmul';
import { rmsNormFused } from '../src/ops/rms-norm/wgsl';
import { disposeTables, ropeTables, rotaryFrequencies } from '../src/ops/rope';
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

/** Width of a head between those of the smallest and of large models. */
const HEAD_DIM = 32;

/** Rows of which each looks, with its newest token, at a prompt of `length` keys. */
function drawnRows(
  rows: number,
  heads: number,
  headDim: number,
  length: number,
): { attend: (qkv: tf.Tensor2D) => tf.Tensor2D; dispose: () => void } {
  const tables = ropeTables(length + 1, rotaryFrequencies(headDim, 10_000));
  const prompt = (): tf.Tensor4D => tf.ones([1, length, heads, headDim]);
  const promptOf = Array.from({ length: rows }, () => 0);
  const cache = createFusedCache({ k: prompt(), v: prompt() }, [length], promptOf, 1);
  return {
    attend: (qkv) => {
      cache.filled = 0; // the same token again
      return attendNewTokenFused(qkv, cache, tables, null);
    },
    dispose: () => {
      disposeFused(cache);
      disposeTables(tables);
    },
  };
}

/** In an order in which each kind of work is found by those before it. */
function probes(isSoftware: boolean): { list: Probe[]; dispose: () => void } {
  const larger = isSoftware ? 1 : 16; // a graphics card would be idle over what keeps a processor busy
  const kept: tf.Tensor[] = [];
  const keep = <T extends tf.Tensor>(tensor: T): T => {
    kept.push(tf.keep(tensor));
    return tensor;
  };

  // three kernels by turns with next to nothing to do, of which each reads what the one before has written
  const [joint, gain] = [stored('f32', 12, 4), keep(tf.ones<tf.Rank.R1>([4]))];
  keep(joint.data);
  const least = drawnRows(8, 1, 4, 1);
  let last = tf.keep(matrix(8, 4));
  const three = (): void => {
    const next = tf.tidy(() => least.attend(matrixProduct('nt', rmsNormFused(last, gain, 1e-6), joint)));
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

  const product = (format: 'f32' | 'bf16', m: number, n: number, k: number): (() => void) => {
    const x = keep(matrix(m, k));
    const w = stored(format, n, k);
    keep(w.data);
    return () => matrixProduct('nt', x, w).dispose();
  };
  const [m, n, k] = [128 * larger, 896, 896];
  const [tall, wide, flat] = [512 * larger, 512, 4];

  const norm = (rows: number, width: number): (() => void) => {
    const [x, gains] = [keep(matrix(rows, width)), keep(tf.ones<tf.Rank.R1>([width]))];
    return () => rmsNormFused(x, gains, 1e-6).dispose();
  };
  const [rows, width] = [256 * larger, 1024];
  const [many, narrow] = [4096 * larger, 4];

  // sequences of 64 rows without prompts
  const [sequences, length, heads] = [8 * larger, 64, 4];
  const noPrompts = {
    batch: sequences,
    length,
    prompts: { length: 0, branches: { samples: sequences, prefixLengths: [0] } },
  };
  const [q, key, value] = [0, 1, 2].map(() =>
    keep(
      tf.reshape<tf.Rank.R3>(matrix(sequences * length, heads * HEAD_DIM), [
        sequences * length,
        heads,
        HEAD_DIM,
      ]),
    ),
  );
  const scores = sequences * heads * ((length * (length + 1)) / 2);

  const drawn = 16 * larger;
  const newest = keep(matrix(drawn, 3 * heads * HEAD_DIM));
  const decoding = drawnRows(drawn, heads, HEAD_DIM, length);

  const flopsOf = (pairs: number): number => 4 * pairs * HEAD_DIM;
  const list: Probe[] = [
    { finds: 'dispatches', work: { dispatches: 3 }, run: three },
    { finds: 'bytes', work: { bytes: 8 * size }, run: copying },
    { finds: 'flops', work: { flops: 2 * m * n * k }, run: product('bf16', m, n, k) },
    {
      finds: 'outputs',
      work: { outputs: tall * wide, flops: 2 * tall * wide * flat },
      run: product('f32', tall, wide, flat),
    },
    {
      finds: 'elements',
      work: { elements: rows * width, fours: rows, bytes: 8 * rows * width },
      run: norm(rows, width),
    },
    {
      finds: 'fours',
      work: { elements: many * narrow, fours: many, bytes: 8 * many * narrow },
      run: norm(many, narrow),
    },
    {
      finds: 'attention',
      work: { attention: flopsOf(scores), flops: flopsOf(scores) },
      run: () => sharedPrefixAttentionFused(q, key, value, noPrompts).dispose(),
    },
    {
      finds: 'attending',
      work: { attending: flopsOf(drawn * heads * length), flops: flopsOf(drawn * heads * length) },
      run: () => decoding.attend(newest).dispose(),
    },
  ];
  return {
    list,
    dispose: () => {
      tf.dispose([last, ...kept]);
      least.dispose();
      decoding.dispose();
    },
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
  const small: NonNullable<Card['small']> = { outputs: 0, elements: 0, fours: 0, attention: 0, attending: 0 };
  const card: Card = { bytesPerSecond: Infinity, flopsPerSecond: Infinity, secondsPerDispatch: 0, small };
  list.forEach(({ finds, work }, index) => {
    const done = { ...NOTHING, dispatches: 1, ...work };
    const rest = secondsOf({ ...done, bytes: 0 }, card);
    const beyond = Math.max(1e-12, seconds[index] - rest);
    if (finds === 'dispatches') card.secondsPerDispatch = seconds[index] / done.dispatches;
    else if (finds === 'bytes') card.bytesPerSecond = done.bytes / beyond;
    else if (finds === 'flops') card.flopsPerSecond = done.flops / beyond;
    // a kernel that is about as fast as its bytes are moved does the work beside it
    else if (beyond > (1.5 * done.bytes) / card.bytesPerSecond) small[finds] = beyond / done[finds];
  });
  return card;
}

const NOTHING = Object.fromEntries(
  ['flops', 'bytes', 'dispatches', ...smallWork].map((kind) => [kind, 0]),
) as Work;
