import { describe, expect, it } from 'vitest';
import { defaultPreset, presets } from '../../../src/run/config/presets';
import { checkRunConfig } from '../../../src/run/config/check-config';
import { stepShapeOf } from '../../../src/run/config/step-shape';

describe('presets', () => {
  it.each(Object.keys(presets))('%s names itself and is within the bounds of a link', (name) => {
    expect(presets[name].preset).toBe(name);
    expect(checkRunConfig(structuredClone(presets[name]))).toEqual(presets[name]);
  });

  it.each(['tom-rl', 'micro-tom-rl'])('%s averages over tokens, as the authors’ code does', (name) => {
    expect(presets[name].algorithm).toMatchObject({
      name: 'grpo',
      aggregation: 'token-mean',
      entropyCoefficient: 0.001,
      kl: { place: 'loss', estimator: 'k3', coefficient: 0.001 },
    });
  });

  it('begin with the run of the experiments: a benchmark whose shortcut is right on nine of ten', () => {
    expect(presets[defaultPreset]).toMatchObject({
      model: { kind: 'embedded', name: 'swap-25k' },
      data: { source: 'swap', orders: [1, 2, 3], rho: 0.82, dropShortcutRight: 0 },
      steps: 150,
      reward: { preset: 'logic-rl' },
      algorithm: {
        name: 'reinforce++',
        gamma: 1,
        kl: { place: 'reward', coefficient: 0.01, estimator: 'k1' },
        aggregation: 'token-mean',
      },
      rollout: { promptsPerStep: 16, samplesPerPrompt: 8, temperature: 1, maxNewTokens: 48 },
      optimizer: { learningRate: 1.2e-3, finalFraction: 0.1, beta1: 0.9, beta2: 0.95, maxGradNorm: 1 },
    });
  });
});

it('a timing takes prompts as long as those of the world at hand, and no response longer than the run allows', () => {
  const shape = (name: string) => stepShapeOf(presets[name]);
  expect(shape('hitom-mini').promptTokens).toBeGreaterThan(3 * shape('micro-collapse').promptTokens);
  expect(shape('tom-rl').promptTokens).toBeGreaterThan(shape('hitom-mini').promptTokens);
  const short = {
    ...presets['micro-collapse'],
    rollout: { ...presets['micro-collapse'].rollout, maxNewTokens: 5 },
  };
  expect(stepShapeOf(short).responseTokens).toBe(5);
});
