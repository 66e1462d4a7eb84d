/** The speed of this computer: products of two sizes, timed. The large one tells the arithmetic, the small one a call. */
import * as tf from '@tensorflow/tfjs-core';
import type { Engine } from '../gpu/engine';
import { linear } from '../ops/linear';
import type { Float32Weight } from '../ops/lib/weight';
import type { Speed } from '../run/estimate';

/** Rows, inputs and outputs alike, and products between two waits for the device. */
const LARGE = { size: 384, atOnce: 4 };
const SMALL = { size: 8, atOnce: 64 };

/** @param seconds to spend in all, after first products that compile and are not counted */
export async function measureSpeed(engine: Pick<Engine, 'check'>, seconds = 1): Promise<Speed> {
  const large = await secondsOfProduct(engine, LARGE, seconds / 2);
  const small = await secondsOfProduct(engine, SMALL, seconds / 2);
  return { flopsPerSecond: (2 * LARGE.size ** 3) / large, secondsPerCall: small };
}

/** The median of many turns, so that other work of the computer counts little. */
async function secondsOfProduct(
  { check }: Pick<Engine, 'check'>,
  { size, atOnce }: typeof LARGE,
  seconds: number,
): Promise<number> {
  const [x, data] = [tf.ones<tf.Rank.R2>([size, size]), tf.ones<tf.Rank.R2>([size, size])];
  const weight: Float32Weight = { format: 'f32', data, outputs: size, inputs: size, trainable: false };
  const turn = async (): Promise<number> => {
    const start = performance.now();
    for (let i = 0; i < atOnce; i++) linear(x, weight).dispose();
    await check();
    return (performance.now() - start) / 1000 / atOnce;
  };
  for (let i = 0; i < 3; i++) await turn();
  const turns: number[] = [];
  const end = performance.now() + 1000 * seconds;
  do turns.push(await turn());
  while (performance.now() < end);
  tf.dispose([x, data]);
  return turns.sort((a, b) => a - b)[turns.length >> 1];
}
