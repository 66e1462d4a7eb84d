import { describe, expect, it } from 'vitest';
import { rotaryFrequencies } from '../../src/ops/rope';
import { readRope } from '../../src/model/config';
import { scaleFrequencies } from '../../src/model/rope-scaling';
import { refusal } from './refusal';

/** Scaling of Llama 3.2: heads of 64 dimensions, a factor of 32 from 8,192 positions. */
const llama = {
  rope_theta: 500000,
  rope_scaling: {
    rope_type: 'llama3',
    factor: 32,
    low_freq_factor: 1,
    high_freq_factor: 4,
    original_max_position_embeddings: 8192,
  },
};

const linear = { rope_type: 'linear', factor: 2 };

describe('scaled rotary frequencies', () => {
  it('are unscaled if config.json has no scaling', () => {
    const { ropeTheta, ropeScaling } = readRope({ rope_theta: 100, rope_scaling: { type: 'default' } });
    expect(ropeScaling).toBeNull();
    expect([...scaleFrequencies(rotaryFrequencies(4, ropeTheta), ropeScaling)]).toEqual([1, 0.1]);
  });

  it('are divided by the factor of a linear scaling', () => {
    const { ropeTheta, ropeScaling } = readRope({ rope_scaling: { type: 'linear', factor: 4 } });
    expect(ropeTheta).toBe(10000); // the default
    expect([...scaleFrequencies(Float64Array.of(1, 0.1), ropeScaling)]).toEqual([0.25, 0.025]);
  });

  it('keep short wavelengths in llama3, scale long ones and interpolate in between', () => {
    const { ropeTheta, ropeScaling } = readRope(llama);
    const plain = rotaryFrequencies(64, ropeTheta);
    const scaled = scaleFrequencies(plain, ropeScaling);
    // Wavelengths start at 2 pi and exceed 8192 / 4 from pair 15 on and 8192 / 1 from pair 18 on.
    const lengths = [...plain].map((frequency) => (2 * Math.PI) / frequency);
    expect([...scaled.subarray(0, 15)]).toEqual([...plain.subarray(0, 15)]);
    for (let pair = 18; pair < 32; pair++) expect(scaled[pair]).toBeCloseTo(plain[pair] / 32, 15);
    for (let pair = 15; pair < 18; pair++) {
      const smooth = (8192 / lengths[pair] - 1) / (4 - 1);
      const mixed = (1 - smooth) * (plain[pair] / 32) + smooth * plain[pair];
      expect(scaled[pair]).toBeCloseTo(mixed, 15);
      expect(scaled[pair]).toBeLessThan(plain[pair]);
      expect(scaled[pair]).toBeGreaterThan(plain[pair] / 32);
    }
  });

  it('are read from the fields of transformers 5', () => {
    const parameters = { ...llama.rope_scaling, rope_theta: 500000, partial_rotary_factor: 1 };
    expect(readRope({ rope_parameters: parameters })).toEqual(readRope(llama));
  });

  // Expected values from transformers 5.18.
  it('prefer the theta of rope_parameters and rope_scaling to that of the top level', () => {
    const inside = { rope_type: 'default', rope_theta: 2 };
    expect(readRope({ rope_theta: 1, rope_parameters: inside }).ropeTheta).toBe(2);
    expect(readRope({ rope_theta: 1, rope_scaling: { ...linear, rope_theta: 3 } }).ropeTheta).toBe(3);
  });

  it('are read if old and new names agree, and rejected if they contradict each other', () => {
    const both = { rope_theta: 7, rope_scaling: linear, rope_parameters: { ...linear, rope_theta: 7 } };
    expect(readRope(both)).toEqual({ ropeTheta: 7, ropeScaling: { kind: 'linear', factor: 2 } });
    expect(readRope({ ...both, rope_scaling: null }).ropeScaling).toEqual({ kind: 'linear', factor: 2 });
    for (const other of [
      { ...linear, factor: 4 },
      { ...linear, rope_theta: 5 },
      { rope_type: 'default', rope_theta: 7 },
    ]) {
      expect(() => readRope({ ...both, rope_parameters: other })).toThrow('rope_scaling and rope_parameters');
    }
  });

  it.each([
    ['yarn', { rope_scaling: { rope_type: 'yarn', factor: 4 } }, 'config-unsupported'],
    ['attention_factor', { rope_scaling: { ...linear, attention_factor: 2 } }, 'config-unsupported'],
    [
      'partial_rotary_factor',
      { rope_scaling: { ...linear, partial_rotary_factor: 0.5 } },
      'config-unsupported',
    ],
    ['factor', { rope_scaling: { type: 'linear' } }, 'config-value'],
    ['low_freq_factor', { rope_scaling: { ...llama.rope_scaling, low_freq_factor: 4 } }, 'config-value'],
    ['rope_scaling', { rope_scaling: [4] }, 'config-value'],
  ])('reject %s by its name', (name, fields, code) => {
    expect(() => readRope(fields)).toThrow(refusal(`model/${code}`, name));
  });
});
