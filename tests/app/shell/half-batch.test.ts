import { expect, it } from 'vitest';
import { withHalfBatch } from '../../../src/app/shell/half-batch';
import type { RunConfig } from '../../../src/run/config';
import { example } from '../../share/example-config';

it('a run that needed too much memory trains on half as many sequences at once, down to one', () => {
  const rollout = { ...example.rollout, promptsPerStep: 3, samplesPerPrompt: 4 };
  const sizes: number[] = [];
  let config: RunConfig | null = {
    ...example,
    rollout,
    optimizer: { ...example.optimizer, microBatch: 0 }, // all at once
  };
  while ((config = withHalfBatch(config)) !== null) {
    sizes.push(config.optimizer.microBatch);
    expect(config.rollout).toEqual(rollout); // what is sampled and learned from stays
  }
  expect(sizes).toEqual([6, 3, 2, 1]);
});
