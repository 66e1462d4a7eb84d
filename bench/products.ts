/** Matrix products at the shapes of a 0.5B model, and what the adapter copies and multiplies. */
import * as tf from '@tensorflow/tfjs-core';
import type { Engine } from '../src/gpu/engine';
import { defineKernel, emptyTensor, foldedWorkgroups, runKernel } from '../src/gpu/kernel';
import { adapterTraits, matrixProduct, type StoredMatrix } from '../src/ops/matmul';
import { candidates, type TileChoice } from '../src/ops/matmul/tiles';
import type { WeightFormat } from '../src/ops/lib/weight-load.wgsl';
import { measureWithCommands, productRate, report, round, type Bench } from './measure';

/** [rows, outputs, inputs]: q/o, k/v, gate/up, down, and a decoding step of one row and of sixteen. */
export const SHAPES = [
  [128, 896, 896],
  [128, 128, 896],
  [128, 4864, 896],
  [128, 896, 4864],
  [1, 4864, 896],
  [16, 4864, 896],
] as const;

/** Some finite values; products take as long whatever they are. */
export function matrix(rows: number, columns: number): tf.Tensor2D {
  return tf.tidy(() => tf.reshape(tf.sin(tf.range(0, rows * columns)), [rows, columns]));
}

export function stored(format: WeightFormat, outputs: number, inputs: number): StoredMatrix {
  const shape = { rows: outputs, columns: inputs };
  if (format === 'f32') return { format, data: matrix(outputs, inputs), ...shape };
  return { format, data: tf.fill([(outputs * inputs) / 2], 0x3f803f80, 'int32'), ...shape };
}

const bytesOf = { f32: 4, bf16: 2 };

/** Marble's products, and what the adapter does at best. */
export async function benchProducts(bench: Bench, engine: Engine, adapter: string): Promise<void> {
  await benchCopy(bench, engine, adapter);
  await benchCeiling(bench, engine, adapter);
  for (const [m, outputs, inputs] of SHAPES) {
    const shape = `${m}x${outputs}x${inputs}`;
    const x = matrix(m, inputs);
    for (const format of ['f32', 'bf16'] as const) {
      const w = stored(format, outputs, inputs);
      const figures = await measureWithCommands(bench, engine, async () => {
        matrixProduct('nt', x, w).dispose();
        await engine.check();
      });
      const bytes = bytesOf[format] * outputs * inputs + 4 * m * (inputs + outputs);
      report(bench, adapter, {
        op: 'linear',
        by: 'marble',
        format,
        shape,
        ...figures,
        gflops: productRate(m, outputs, inputs, figures.ms),
        gflopsPerCpuSecond: productRate(m, outputs, inputs, figures.cpuMs),
        gbPerSecond: round((bytes * 1e-6) / figures.ms),
      });
      tf.dispose([w.data]);
    }
    x.dispose();
  }
}

/** The simplest kernel there is. */
export const copy = defineKernel({
  name: 'copy',
  inputs: { x: 'vec4<f32>' },
  outputs: { y: 'vec4<f32>' },
  uniforms: { size: 'u32' },
  workgroupSize: [256, 1, 1],
  body: `
    let i = (group.y * groups.x + group.x) * 256u + lane;
    if (i < uniforms.size) { y[i] = x[i]; }`,
});

/** Bytes read and written per second by the simplest kernel: what memory-bound kernels are held against. */
async function benchCopy(bench: Bench, engine: Engine, adapter: string): Promise<void> {
  const size = 16 * 1024 * 1024;
  const x = tf.zeros([size]);
  const y = emptyTensor<tf.Rank.R1>([size]);
  const figures = await measureWithCommands(bench, engine, async () => {
    runKernel(copy, {
      inputs: { x },
      outputs: { y },
      uniforms: { size: size / 4 },
      workgroups: foldedWorkgroups(size / 4 / 256),
    });
    await engine.check();
  });
  report(bench, adapter, {
    op: 'copy',
    by: 'ceiling',
    ...figures,
    gbPerSecond: round((8e-6 * size) / figures.ms),
    gbPerCpuSecond: round((8e-6 * size) / figures.cpuMs),
  });
  tf.dispose([x, y]);
}

/** The fastest of all tiles at a square product: what compute-bound kernels are held against. */
async function benchCeiling(bench: Bench, engine: Engine, adapter: string): Promise<void> {
  const n = bench.quick ? 256 : 512;
  const a = matrix(n, n);
  const b = stored('f32', n, n);
  let best = { tile: '', gflops: 0, gflopsPerCpuSecond: 0 };
  for (const tile of candidates({ direction: 'nt', format: 'f32', m: n, n, k: n }, adapterTraits())) {
    const { ms, cpuMs } = await measureWithCommands(bench, engine, async () => {
      matrixProduct('nt', a, b, {}, tile).dispose();
      await engine.check();
    });
    const gflops = productRate(n, n, n, ms);
    const gflopsPerCpuSecond = productRate(n, n, n, cpuMs);
    if (gflops > best.gflops) best = { tile: nameOf(tile), gflops, gflopsPerCpuSecond };
  }
  report(bench, adapter, { op: 'product', by: 'ceiling', shape: `${n}x${n}x${n}`, ...best });
  tf.dispose([a, b.data]);
}

function nameOf(tile: TileChoice): string {
  return tile === 'few-rows'
    ? tile
    : `${tile.kind} ${tile.rows}x${tile.columns} by ${tile.down}x${tile.across}`;
}
