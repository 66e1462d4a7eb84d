/** Every fused op but the products, at the 0.5B model's shapes, against the same in plain tfjs ops on the same device. */
import * as tf from '@tensorflow/tfjs-core';
import type { Engine } from '../src/gpu/engine';
import { adamW, gradientNorm } from '../src/ops/adamw';
import { attention } from '../src/ops/attention';
import { sharedPrefixAttention } from '../src/ops/shared-prefix-attention';
import { attendNewToken, createKeyValueCache, disposeKeyValueCache } from '../src/ops/decode-attention';
import { embedding } from '../src/ops/embedding';
import type { Float32Weight } from '../src/ops/lib/weight';
import { rmsNorm } from '../src/ops/rms-norm';
import { disposeTables, rope, ropeTables, rotaryFrequencies, rotationAt } from '../src/ops/rope';
import { sampleHead } from '../src/ops/sample-head';
import { swigluPlain } from '../src/ops/swiglu';
import { swigluFused } from '../src/ops/swiglu/wgsl';
import { tokenLogprob } from '../src/ops/token-logprob';
import { fused, withReferenceOps } from '../src/ops/lib/backend-switch';
import { measureWithCommands, report, round, type Bench } from './measure';

const HIDDEN = 896;
const HEADS = 14;
const KEY_HEADS = 2;
const HEAD_DIM = 64;
const INTERMEDIATE = 4864;

interface OpCase {
  op: string;
  shape: string;
  /** Least that must be read and written, in bytes. */
  bytes: number;
  /** Arithmetic of the op, where that is what bounds it. */
  flops?: number;
  /** Whether the reference implementation can run on WebGPU too. */
  rival?: boolean;
  run: () => tf.TensorContainer | Promise<unknown>;
}

/** Some finite values of order one. */
function values<R extends tf.Rank>(...shape: number[]): tf.Tensor<R> {
  return tf.tidy(() =>
    tf.reshape<R>(tf.sin(tf.range(0, tf.util.sizeFromShape(shape))), shape as tf.ShapeMap[R]),
  );
}

/** Values of `f` and its gradients by `inputs`. */
const gradients = (
  f: (...inputs: tf.Tensor[]) => tf.Tensor,
  inputs: tf.Tensor[],
  dy: tf.Tensor,
): tf.Tensor[] => tf.tidy(() => tf.grads((...args: tf.Tensor[]) => f(...args))(inputs, dy));

/** @param rows tokens of one sequence @param vocabulary of a head small enough for its reference implementation */
function opCases(
  rows: number,
  vocabulary: number,
  parameters: number,
): { cases: OpCase[]; dispose: () => void } {
  const x = values<tf.Rank.R2>(rows, HIDDEN);
  const norm = tf.ones<tf.Rank.R1>([HIDDEN]);
  const q = values<tf.Rank.R4>(1, rows, HEADS, HEAD_DIM);
  const k = values<tf.Rank.R4>(1, rows, KEY_HEADS, HEAD_DIM);
  const v = values<tf.Rank.R4>(1, rows, KEY_HEADS, HEAD_DIM);
  const gate = values<tf.Rank.R2>(rows, INTERMEDIATE);
  const up = values<tf.Rank.R2>(rows, INTERMEDIATE);
  const both = values<tf.Rank.R2>(rows, 2 * INTERMEDIATE);
  const data = values<tf.Rank.R2>(vocabulary, HIDDEN);
  const head: Float32Weight = { format: 'f32', data, outputs: vocabulary, inputs: HIDDEN, trainable: false };
  const ids = tf.tensor1d(
    Int32Array.from({ length: rows }, (_, row) => (row * 37) % vocabulary),
    'int32',
  );
  const statistics = values<tf.Rank.R2>(2, rows);
  const tables = ropeTables(rows + 1, rotaryFrequencies(HEAD_DIM, 1e6));
  const positions = Int32Array.from({ length: rows }, (_, row) => row);
  const decoding = values<tf.Rank.R2>(16, HIDDEN);
  const rowIds = tf.range(0, 16, 1, 'int32');
  const heads = tf.reshape<tf.Rank.R3>(q, [rows, HEADS, HEAD_DIM]);
  const keys = tf.reshape<tf.Rank.R3>(k, [rows, KEY_HEADS, HEAD_DIM]);
  const flat = values<tf.Rank.R1>(parameters);
  const state = {
    parameters: values<tf.Rank.R1>(parameters),
    moment1: tf.zeros<tf.Rank.R1>([parameters]),
    moment2: tf.zeros<tf.Rank.R1>([parameters]),
  };
  const half = rows / 2;
  const branches = {
    batch: 4,
    length: half / 4,
    prompts: { length: half, branches: { samples: 4, prefixLengths: [half] } },
  };
  /** Score and mix of every query with every key that it sees, causally. */
  const attentionFlops = 4 * HEADS * HEAD_DIM * ((rows * (rows + 1)) / 2);
  const headFlops = 2 * rows * HIDDEN * vocabulary;
  const rotate = (): tf.Tensor => {
    const rotation = rotationAt(tables, positions);
    return rope(heads, rotation);
  };
  const segments = [HEADS, KEY_HEADS, KEY_HEADS].map((count) => count * HEAD_DIM);
  const outputs = segments.reduce((sum, count) => sum + count);
  const projected = values<tf.Rank.R2>(outputs, HIDDEN);
  const projection = {
    segments,
    weight: { format: 'f32' as const, data: projected, outputs, inputs: HIDDEN, trainable: false },
    bias: null,
    adapter: null,
  };
  const decode = (): tf.Tensor => {
    const shared = { k: tf.clone(k), v: tf.clone(v) };
    const cache = createKeyValueCache(shared, [rows], new Array<number>(16).fill(0), 64);
    const rotation = rotationAt(tables, new Int32Array(16).fill(rows));
    const mixed = attendNewToken(decoding, projection, cache, rotation, null);
    disposeKeyValueCache(cache);
    return mixed;
  };
  const cases: OpCase[] = [
    { op: 'embedding', shape: `${rows}x${HIDDEN}`, bytes: 8 * x.size, run: () => embedding(ids, head) },
    { op: 'rms norm', shape: `${rows}x${HIDDEN}`, bytes: 8 * x.size, run: () => rmsNorm(x, norm, 1e-6) },
    {
      op: 'rms norm backward',
      shape: `${rows}x${HIDDEN}`,
      bytes: 20 * x.size,
      run: () => gradients((input) => rmsNorm(input as tf.Tensor2D, norm, 1e-6), [x], x),
    },
    { op: 'rope', shape: `${rows}x${HEADS}x${HEAD_DIM}`, bytes: 8 * q.size, run: rotate },
    {
      op: 'swiglu',
      shape: `${rows}x${INTERMEDIATE}`,
      bytes: 12 * gate.size,
      run: () => (fused() ? swigluFused(both) : swigluPlain(gate, up)),
    },
    {
      op: 'swiglu backward',
      shape: `${rows}x${INTERMEDIATE}`,
      bytes: 32 * gate.size,
      run: () =>
        fused()
          ? gradients((x) => swigluFused(x as tf.Tensor2D), [both], gate)
          : gradients((g, u) => swigluPlain(g as tf.Tensor2D, u as tf.Tensor2D), [gate, up], gate),
    },
    {
      op: 'attention',
      shape: `${rows}x${HEADS}x${HEAD_DIM}`,
      bytes: 8 * (q.size + k.size),
      flops: attentionFlops,
      run: () => attention(q, k, v),
    },
    {
      op: 'attention backward',
      shape: `${rows}x${HEADS}x${HEAD_DIM}`,
      bytes: 20 * (q.size + k.size),
      // forward, then the scores twice more and four products of their gradients
      flops: 4.5 * attentionFlops,
      run: () =>
        gradients((a, b, c) => attention(a as tf.Tensor4D, b as tf.Tensor4D, c as tf.Tensor4D), [q, k, v], q),
    },
    {
      op: 'branch attention',
      shape: `prompt ${half}, 4 branches of ${half / 4}`,
      bytes: 8 * (q.size + k.size),
      run: () => sharedPrefixAttention(heads, keys, keys, branches),
    },
    {
      op: 'decode attention',
      shape: `16 rows over a prompt of ${rows}`,
      bytes: 8 * k.size,
      run: decode,
    },
    {
      op: 'sample head',
      shape: `16x${HIDDEN}x${vocabulary}`,
      bytes: 4 * data.size,
      flops: 2 * 16 * HIDDEN * vocabulary,
      rival: false, // the plain sampler reads logits synchronously, which WebGPU cannot
      run: () => {
        const { tokens, logprobs } = sampleHead(decoding, head, rowIds, {
          temperature: 1,
          seed: 1,
          stream: 0,
          position: 0,
        });
        return [tokens, logprobs];
      },
    },
    {
      op: 'token logprob',
      shape: `${rows}x${HIDDEN}x${vocabulary}`,
      bytes: 4 * (data.size + x.size),
      flops: headFlops,
      run: () => tokenLogprob(x, head, ids, 1),
    },
    {
      op: 'token logprob backward',
      shape: `${rows}x${HIDDEN}x${vocabulary}`,
      bytes: 12 * (data.size + x.size),
      flops: 3 * headFlops,
      run: () => gradients((h) => tokenLogprob(h as tf.Tensor2D, head, ids, 1), [x], statistics),
    },
    {
      op: 'adamw',
      shape: `${parameters}`,
      bytes: 28 * parameters,
      run: () => {
        const settings = { learningRate: 1e-3, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0 };
        adamW(state, flat, { ...settings, update: 1, gradientScale: 1 });
        return [];
      },
    },
    { op: 'gradient norm', shape: `${parameters}`, bytes: 4 * parameters, run: () => gradientNorm(flat) },
  ];
  const dispose = (): void => {
    tf.dispose([
      x,
      norm,
      q,
      k,
      v,
      gate,
      up,
      both,
      data,
      ids,
      statistics,
      decoding,
      projected,
      rowIds,
      heads,
      keys,
      flat,
    ]);
    tf.dispose([state.parameters, state.moment1, state.moment2]);
    disposeTables(tables);
  };
  return { cases, dispose };
}

export async function benchOps(bench: Bench, engine: Engine, adapter: string): Promise<void> {
  const { cases, dispose } = bench.quick ? opCases(128, 2048, 1e6) : opCases(512, 16384, 8_798_208);
  for (const { op, shape, bytes, flops, rival = true, run } of cases) {
    const once = async (): Promise<void> => {
      tf.engine().startScope();
      const running = run();
      tf.engine().endScope(); // what the op returned goes with what it made on the way
      await running;
      await engine.check();
    };
    for (const by of rival ? ['marble', 'plain tfjs'] : ['marble']) {
      const twin = by === 'marble' ? once : (): Promise<void> => withReferenceOps(once);
      const figures = await measureWithCommands(bench, engine, twin);
      report(bench, adapter, {
        op,
        by,
        shape,
        ...figures,
        gbPerSecond: round((1e-6 * bytes) / figures.ms),
        ...(flops === undefined ? {} : { gflops: round((1e-6 * flops) / figures.ms) }),
      });
    }
  }
  dispose();
}
