/** Gradients by the input, dX = dY W, at the shapes of a 0.5B model: each tile with f32 and, where the adapter has them, f16 factors. */
import * as tf from '@tensorflow/tfjs-core';
import type { Engine } from '../src/gpu/engine';
import { adapterTraits, matrixProduct } from '../src/ops/matmul';
import { candidates, f16Form, type ProductShape, type TileChoice } from '../src/ops/matmul/tiles';
import { verifyF16 } from '../src/ops/verify/f16';
import { measure, productRate, report, type Bench } from './measure';
import { matrix, nameOf, stored } from './products';

/** [rows, outputs, inputs]: q/o, gate/up, down. */
const SHAPES = [
  [128, 896, 896],
  [128, 4864, 896],
  [128, 896, 4864],
] as const;

export async function benchBackward(bench: Bench, engine: Engine, adapter: string): Promise<void> {
  for (const format of ['bf16', 'f32'] as const) {
    const f16 = await verifyF16(engine, format);
    for (const [m, outputs, inputs] of bench.quick ? SHAPES.slice(0, 1) : SHAPES) {
      const dy = matrix(m, outputs);
      const w = stored(format, outputs, inputs);
      const shape: ProductShape = { direction: 'nn', format, m, n: inputs, k: outputs };
      const fastest = async (factors: string, tiles: readonly TileChoice[]): Promise<void> => {
        let best = { tile: 'none', ms: Infinity, cpuMs: Infinity };
        for (const tile of tiles) {
          const time = await measure(bench, async () => {
            matrixProduct('nn', dy, w, {}, tile).dispose();
            await engine.check();
          });
          if (time.cpuMs < best.cpuMs) best = { tile: nameOf(tile), ...time };
        }
        report(bench, adapter, {
          op: 'dx',
          by: 'marble',
          format,
          factors,
          shape: `${m}x${outputs}x${inputs}`,
          ...best,
          gflops: productRate(m, outputs, inputs, best.ms),
          gflopsPerCpuSecond: productRate(m, outputs, inputs, best.cpuMs),
        });
      };
      const tiles = candidates(shape, adapterTraits());
      await fastest('f32', tiles);
      if (f16) {
        const halves = tiles.map((tile) => f16Form(tile, shape, adapterTraits()));
        await fastest(
          'f16',
          halves.filter((tile) => tile !== null),
        );
      }
      tf.dispose([dy, w.data]);
    }
  }
}
