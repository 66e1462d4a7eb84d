import { expect, it } from 'vitest';
import { openEngine } from '../../../src/gpu/engine';
import { goldenHashes, hashSteps, stepConfigs } from '../../fixtures/step-hashes';
import { sampled } from '../../fixtures/sample';
import { engine, openEngineForAll } from '../../fixtures/engine';

// Disables FMA, which not every machine has.
openEngineForAll(() => openEngine({ backend: 'wasm', fma: false }));

const some = ['ladder-25k, all weights', 'ladder-25k, LoRA', 'DAPO, prompts drawn again'];

// `npx tsx scripts/step-hashes.ts --write` records new hashes.
it.each(sampled(some, Object.keys(stepConfigs)))(
  'three steps on wasm have the recorded hashes: %s',
  async (name) => {
    expect(await hashSteps(engine, stepConfigs[name])).toEqual((await goldenHashes())[name]);
  },
);
