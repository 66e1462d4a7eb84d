/**
 * Measures the speed of this computer by timing matrix products: the largest gives FLOPs per second, the smallest the
 * overhead of a call.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Engine } from '../gpu/engine';
import { jointLinear, oneProjection } from '../ops/joint-linear';
import type { Weight } from '../ops/lib/weight';
import type { RunConfig } from '../run/config/config';
import type { Speed } from '../run/estimate';

/** Size of the square matrices, and number of products between two waits for the device. */
const LARGE = { size: 384, atOnce: 4 };
/** For devices on which `LARGE` takes less than `BRIEF` seconds, since it occupies only a part of them. */
const LARGER = { size: 1536, atOnce: 4 };
const BRIEF = 3e-4;
const SMALL = { size: 8, atOnce: 64 };

/**
 * Times matrix products in the weight format of the run.
 *
 * @param training - how the run trains: LoRA's frozen weights are bf16, whose products may use FMA
 * @param seconds total time, enough for two digits, after warm-up products that are compiled and not counted
 */
export async function measureSpeed(
  engine: Pick<Engine, 'check'>,
  training: Pick<RunConfig['training'], 'mode'> = { mode: 'full' },
  seconds = 0.4,
): Promise<Speed> {
  const format = training.mode === 'lora' ? 'bf16' : 'f32';
  const rateAt = async (product: typeof LARGE): Promise<number> =>
    (2 * product.size ** 3) / (await secondsOfProduct(engine, format, product, seconds / 2));
  let flopsPerSecond = await rateAt(LARGE);
  if ((2 * LARGE.size ** 3) / flopsPerSecond < BRIEF) flopsPerSecond = await rateAt(LARGER);
  const secondsPerCall = await secondsOfProduct(engine, format, SMALL, seconds / 2);
  return { flopsPerSecond, secondsPerCall };
}

/** Median seconds of one product; the median reduces the effect of other programs. */
async function secondsOfProduct(
  { check }: Pick<Engine, 'check'>,
  format: Weight['format'],
  { size, atOnce }: typeof LARGE,
  seconds: number,
): Promise<number> {
  const x = tf.ones<tf.Rank.R2>([size, size]);
  const weight = onesWeight(format, size);
  const turn = async (): Promise<number> => {
    const start = performance.now();
    for (let i = 0; i < atOnce; i++) jointLinear(x, oneProjection(weight)).dispose();
    await check();
    return (performance.now() - start) / 1000 / atOnce;
  };
  for (let i = 0; i < 3; i++) await turn();
  const turns: number[] = [];
  const end = performance.now() + 1000 * seconds;
  do turns.push(await turn());
  while (performance.now() < end);
  tf.dispose([x, weight.data]);
  return turns.sort((a, b) => a - b)[turns.length >> 1];
}

const TWO_BF16_ONES = 0x3f803f80;

function onesWeight(format: Weight['format'], size: number): Weight {
  const sizes = { outputs: size, inputs: size };
  if (format === 'f32')
    return { format, ...sizes, data: tf.ones<tf.Rank.R2>([size, size]), trainable: false };
  return { format, ...sizes, data: tf.fill<tf.Rank.R1>([size ** 2 / 2], TWO_BF16_ONES, 'int32') };
}
