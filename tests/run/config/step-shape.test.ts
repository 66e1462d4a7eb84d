import { expect, it } from 'vitest';
import { presets } from '../../../src/run/config/presets';
import { stepShapeOf } from '../../../src/run/config/step-shape';

it('a timing takes prompts as long as those of the world at hand, and no response longer than the run allows', () => {
  const shape = (name: string) => stepShapeOf(presets[name]);
  expect(shape('hitom-mini').promptTokens).toBeGreaterThan(3 * shape('ladder-25k').promptTokens);
  expect(shape('tom-rl').promptTokens).toBeGreaterThan(shape('hitom-mini').promptTokens);
  const short = {
    ...presets['ladder-25k'],
    rollout: { ...presets['ladder-25k'].rollout, maxNewTokens: 5 },
  };
  expect(stepShapeOf(short).responseTokens).toBe(5);
});
