/**
 * A card that does .1 TFLOP/s, as the weakest do in a browser, under a system that resets one that is busy for 2 seconds:
 * what is sent off at once is bounded, by the arithmetic that kernels say they take. Nothing is sent.
 */
import '../../fixtures/webgpu/node-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { probeAdapter } from '../../../src/gpu/capabilities';
import { openEngine, type Engine } from '../../../src/gpu/engine';
import { parseModelConfig } from '../../../src/model/config';
import { countStep, type StepBatch } from '../../../src/model/device/cost-model';
import { halfBillionConfig } from '../../../src/model/device/half-billion';
import type { Policy } from '../../../src/model/policy';
import { priced, type Sent } from '../../fixtures/webgpu/bad-devices';
import { sampleUntil, sendNothing, unwritten } from '../../fixtures/webgpu/unsent';
import { policyOf, pulling } from '../tiny';

const SLOW = 0.1e12;
const config = parseModelConfig(halfBillionConfig());
const bindsEmbedding =
  (await probeAdapter())!.limits.maxStorageBufferBindingSize >= 2 * config.vocabularySize * config.hiddenSize;

const flopsOf = ({ waits }: Sent): number => waits.reduce((sum, seconds) => sum + seconds, 0) * SLOW;

describe.skipIf(!bindsEmbedding)('on a card of .1 TFLOP/s a 0.5B model', () => {
  let engine: Engine;
  let policy: Policy;
  beforeEach(async () => {
    engine = await openEngine({ backend: 'webgpu' });
    sendNothing();
    policy = await policyOf(engine, config, unwritten, { rank: 16, alpha: 32 });
  });
  afterEach(() => {
    policy.dispose();
    engine.dispose();
  });

  const batch: StepBatch = {
    rank: 16,
    weights: 'bf16',
    prompts: 8,
    samplesPerPrompt: 4,
    promptTokens: 666,
    responseTokens: 2,
    reference: false,
  };
  const prompts = Array.from({ length: 8 }, (_, row) => new Array<number>(666).fill(row));
  const sampleFirst = (drawn: number): Promise<void> =>
    sampleUntil(policy, prompts, { samplesPerPrompt: 4, maxNewTokens: 64 }, drawn);

  it('reads prompts without a dispatch of half a second, or a submit of one', async () => {
    const sent = priced(SLOW);
    await sampleFirst(1);
    const { prefill, decode } = countStep(config, batch);
    expect(flopsOf(sent)).toBeGreaterThan(0.95 * prefill.flops);
    expect(flopsOf(sent)).toBeLessThan(1.05 * (prefill.flops + decode.flops));
    expect(Math.max(...sent.dispatches)).toBeLessThan(0.5);
    expect(Math.max(...sent.submits)).toBeLessThan(1);
    expect(Math.max(...sent.waits)).toBeLessThan(8);
  });

  it('can be stopped between prompts, and gives back what it made of those before', async () => {
    const sent = priced(SLOW);
    const before = tf.memory().numTensors;
    await sampleFirst(0);
    expect(flopsOf(sent)).toBeLessThan(0.2 * countStep(config, batch).prefill.flops);
    expect(tf.memory().numTensors - before).toBeLessThan(8); // the tables of rotation stay
  });

  it('trains on its longest sequences likewise', async () => {
    const sent = priced(SLOW);
    const sequences = [0, 1].map((row) => new Array<number>(666 + 2048).fill(row));
    await policy.backward(sequences, [666, 666], pulling(1));
    expect(Math.max(...sent.dispatches)).toBeLessThan(0.5);
    expect(Math.max(...sent.submits)).toBeLessThan(1);
  });
});
