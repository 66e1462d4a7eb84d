import { describe, expect, it } from 'vitest';
import { openEngine } from '../../../src/gpu/engine';
import { parseModelConfig } from '../../../src/model/config';
import { timePolicy } from '../../../src/model/device/choose-backend';
import type { StepBatch } from '../../../src/model/device/cost-model';
import { halfBillionConfig } from '../../../src/model/device/half-billion';
import { scaledTime, timeLargeModel, timeSmallModel } from '../../../src/model/device/time-shape';
import { tinyConfig, tinyPolicy } from '../tiny';

const batch: StepBatch & { rank: number } = {
  rank: 4,
  weights: 'bf16',
  prompts: 2,
  samplesPerPrompt: 4,
  promptTokens: 64,
  responseTokens: 32,
  reference: true,
};

it('a timing tells its parts, each of them once', async () => {
  const engine = await openEngine({ backend: 'wasm' });
  const policy = await tinyPolicy(engine);
  const shape = { prompts: 2, samplesPerPrompt: 2, promptTokens: 6, responseTokens: 4 };
  const parts: number[] = [];
  await timePolicy(policy, shape, (done) => parts.push(done));
  expect(parts).toEqual([1, 2, 3, 4]);
  policy.dispose();
  engine.dispose();
});

describe('the time of a completion with random weights', () => {
  it('is measured on the device, drawn alone and trained on', async () => {
    const shape = { prompts: 2, samplesPerPrompt: 2, promptTokens: 6, responseTokens: 4 };
    const { trained, answered } = await timeSmallModel('wasm', tinyConfig, shape);
    expect(answered).toBeGreaterThan(0);
    expect(trained).toBeGreaterThan(answered);
  });

  it('of a large model is that of its piece times the work that is counted, and one engine after the other is closed', async () => {
    const piece = { ...tinyConfig, maxPositions: 512 };
    const { trained, answered } = await timeLargeModel(
      'wasm',
      { whole: { ...piece, layers: 20 }, piece },
      batch,
    );
    expect(trained).toBeGreaterThan(answered);
    expect(answered).toBeGreaterThan(0);
  });

  it('grows with the layers, the words and the tokens of the whole', () => {
    const piece = { config: { ...parseModelConfig(halfBillionConfig(2)), vocabularySize: 8192 }, batch };
    const measured = { secondsPerStep: 1, sampleSeconds: 0.4 };
    expect(scaledTime(measured, piece, piece).trained).toBeCloseTo(1 / 8);
    expect(scaledTime(measured, piece, piece).answered).toBeCloseTo(0.4 / 8);
    const whole = { config: parseModelConfig(halfBillionConfig()), batch };
    const { trained, answered } = scaledTime(measured, piece, whole);
    // 24 layers instead of 2, and a head of 136 instead of 7 million weights.
    expect(answered / (0.4 / 8)).toBeGreaterThan(8);
    expect(trained / (1 / 8)).toBeLessThan(20);
    const longer = scaledTime(measured, piece, { ...whole, batch: { ...batch, responseTokens: 64 } });
    expect(longer.answered / answered).toBeGreaterThan(1.7);
  });
});
