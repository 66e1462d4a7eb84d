import { describe, expect, it } from 'vitest';
import { parseModelConfig } from '../../src/model/config';
import { countStep, phases, predictStep, secondsOf, type StepBatch } from '../../src/model/device/cost-model';
import { halfBillionConfig } from '../../src/model/device/half-billion';
import { elementsOf, expectedTensors, isProjection, trainedCount } from '../../src/model/files/tensor-table';

const config = parseModelConfig(halfBillionConfig());
const one: StepBatch = {
  rank: 16,
  weights: 'bf16',
  prompts: 1,
  samplesPerPrompt: 1,
  promptTokens: 128,
  responseTokens: 384,
  reference: true,
};
const eight = { ...one, prompts: 8 };

describe('what a step of the 0.5B model is counted to cost', () => {
  it('reads about 1 GB of weights for a token that is decoded, and multiplies 1 GFLOP', () => {
    const { decode } = countStep(config, one);
    expect(decode.bytes / one.responseTokens / 1e9).toBeCloseTo(1.0, 1);
    expect(decode.flops / one.responseTokens / 1e9).toBeCloseTo(1.0, 1);
  });

  it('takes 9 dispatches a layer and token by LoRA, 7 where all weights are trained, and beyond 64 rows 11 by LoRA', () => {
    const perToken = (batch: StepBatch): number =>
      countStep(config, batch).decode.dispatches / (batch.responseTokens - 1);
    const around = perToken(one) - 9 * config.layers;
    expect(around).toBeLessThan(8);
    const short = { ...one, responseTokens: 128 };
    expect(perToken({ ...short, samplesPerPrompt: 64 })).toBe(perToken(one));
    expect(perToken({ ...short, samplesPerPrompt: 65 })).toBe(perToken(one) + 2 * config.layers);
    // of 768 tokens the keys and values of 54 rows fit: 64 take two turns
    expect(perToken({ ...one, samplesPerPrompt: 64, responseTokens: 768 })).toBe(2 * perToken(one));
    expect(perToken({ ...one, rank: null }) - 7 * config.layers).toBe(around);
  });

  it('has the dispatches and bytes with which passes over 8 sequences of 512 tokens were recorded, within 5 %', () => {
    const { reference, training } = countStep(config, eight); // as docs/benchmarks.md has it
    expect(Math.abs(reference.dispatches / 1_608 - 1)).toBeLessThan(0.05);
    expect(Math.abs(reference.bytes / 25.98e9 - 1)).toBeLessThan(0.05);
    expect(Math.abs(training.dispatches / 11_360 - 1)).toBeLessThan(0.05);
    expect(Math.abs(training.bytes / 138.2e9 - 1)).toBeLessThan(0.05);
  });

  it('reads prompts in the 22 dispatches that two layers were seen to take', () => {
    const layers = { ...config, layers: 2 };
    expect(
      countStep(layers, { ...one, rank: null, prompts: 16, samplesPerPrompt: 8 }).prefill.dispatches,
    ).toBe(22);
  });

  it('trains by LoRA at 2.1 to 3.1 GFLOP a token, and at a third more where all weights are trained', () => {
    const perToken = (rank: number | null): number =>
      countStep(config, { ...eight, rank }).training.flops / (8 * 512) / 1e9;
    expect(perToken(16)).toBeGreaterThan(2.1);
    expect(perToken(16)).toBeLessThan(3.1);
    expect(perToken(null) / perToken(16)).toBeCloseTo(4 / 3, 1);
  });

  it('counts a further pass forward for what is not kept: of 8 sequences of 1,152 rows 5, and of 2,304 7', () => {
    const perToken = (responseTokens: number): number => {
      const { training } = countStep(config, { ...eight, responseTokens });
      return training.flops / (8 * (128 + responseTokens));
    };
    const all = perToken(384); // of which all are kept
    expect(perToken(1024) / all).toBeGreaterThan(1 + (0.3 * 5) / 8);
    expect(perToken(2176) / all).toBeGreaterThan(1 + (0.3 * 7) / 8);
  });

  it('counts none where advantages are known first: parts go back one after another', () => {
    const long = { ...eight, responseTokens: 1024 };
    const parts = countStep(config, { ...long, advantagesFirst: true }).training;
    const together = countStep(config, long).training;
    const { reference } = countStep(config, long);
    expect((together.flops - parts.flops) / reference.flops).toBeCloseTo(5 / 8, 1);
  });

  it('spares the rows of prompts that samples share', () => {
    const alone = countStep(config, { ...one, prompts: 8 }).reference.flops;
    const shared = countStep(config, { ...one, prompts: 1, samplesPerPrompt: 8 }).reference.flops;
    expect(shared).toBeLessThan(0.85 * alone);
  });

  it('counts the padding of short answers: 8 tokens of a large model run as 64 in training, and as 8 in decoding', () => {
    const short = { ...one, prompts: 2, samplesPerPrompt: 8, promptTokens: 64, responseTokens: 8 };
    const [counted, longer] = [8, 64].map((responseTokens) =>
      countStep(config, { ...short, responseTokens }),
    );
    const head = 2 * config.hiddenSize * config.vocabularySize * 16; // runs on real tokens alone
    const rows = ({ training }: typeof counted, tokens: number): number => training.flops - 3 * head * tokens;
    expect(rows(counted, 8) / rows(longer, 64)).toBeCloseTo(1, 1);
    expect(counted.decode.flops / longer.decode.flops).toBeLessThan(0.2);
  });

  it('runs blocks a second time in training where what they leave is too much to keep', () => {
    const small = { ...config, layers: 1, hiddenSize: 64, intermediateSize: 96, vocabularySize: 50 };
    const training = (prompts: number): ReturnType<typeof countStep>['training'] =>
      countStep(small, { ...one, prompts }).training;
    const perSequence = (prompts: number): number => training(prompts).flops / prompts;
    expect(perSequence(8) / perSequence(1)).toBeCloseTo(1, 2);
    expect(perSequence(1000) / perSequence(8)).toBeGreaterThan(1.2);
  });

  it('has no reference where none is asked for', () => {
    const { reference } = countStep(config, { ...one, reference: false });
    expect(reference).toEqual({ flops: 0, bytes: 0, dispatches: 0 });
  });
});

describe('the prediction for a card', () => {
  it('is the larger of moving and multiplying, and the dispatches on top', () => {
    const work = { flops: 8e9, bytes: 1e9, dispatches: 100 };
    expect(secondsOf(work, { bytesPerSecond: 1e9, flopsPerSecond: 4e9, secondsPerDispatch: 0.01 })).toBe(3);
    expect(secondsOf(work, { bytesPerSecond: 1e8, flopsPerSecond: 4e9, secondsPerDispatch: 0 })).toBe(10);
  });

  it('counts a score and a mix for every head and key that a drawn token looks at', () => {
    const perKey = (promptTokens: number): number =>
      countStep(config, { ...one, promptTokens }).decode.flops / (one.responseTokens - 1);
    expect(perKey(129) - perKey(128)).toBeCloseTo(4 * config.headDim * config.heads * config.layers);
  });

  it('lets rows of a branch look at their whole prompt, once for all samples, and at their own rows so far', () => {
    const { headDim, heads, layers } = config;
    const { reference } = countStep(config, { ...one, samplesPerPrompt: 4, responseTokens: 64 });
    const pairs = (128 * 128) / 2 + 4 * 64 * (128 + 64 / 2);
    const projected = expectedTensors(config)
      .filter(isProjection)
      .reduce((sum, matrix) => sum + elementsOf(matrix), trainedCount(config, 16));
    const rows = 128 + 4 * 64;
    const head = 2 * 4 * 64 * config.hiddenSize * config.vocabularySize;
    const attention = reference.flops - 2 * rows * projected - head;
    expect(attention).toBe(4 * headDim * heads * layers * pairs);
  });

  it('decodes one row at the roofline of its bandwidth: 100 tokens a second at 100 GB/s', () => {
    const card = { bytesPerSecond: 100e9, flopsPerSecond: 1e15, secondsPerDispatch: 0 };
    const perSecond = one.responseTokens / predictStep(config, one, card).phases.decode;
    expect(perSecond).toBeGreaterThan(90);
    expect(perSecond).toBeLessThan(105);
  });

  it('adds its phases up', () => {
    const card = { bytesPerSecond: 100e9, flopsPerSecond: 1e12, secondsPerDispatch: 1e-5 };
    const { seconds, phases: byPhase } = predictStep(config, eight, card);
    expect(phases.reduce((sum, phase) => sum + byPhase[phase], 0)).toBeCloseTo(seconds, 9);
    expect(Math.min(...Object.values(byPhase))).toBeGreaterThan(0);
  });
});
