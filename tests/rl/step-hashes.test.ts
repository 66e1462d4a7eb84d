import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEngine, type Engine } from '../../src/index';
import { goldenHashes, hashSteps, stepConfigs } from '../fixtures/step-hashes';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ backend: 'wasm' });
});
afterAll(() => engine.dispose());

// The other models take longer: `node scripts/run.mjs scripts/step-hashes.ts` compares all, and with --write keeps new ones.
it.each(['swap-25k, all weights', 'micro, LoRA', 'DAPO, prompts drawn again'])(
  'three steps on wasm have the bits that were kept of them: %s',
  async (name) => {
    expect(await hashSteps(engine, stepConfigs[name])).toEqual((await goldenHashes())[name]);
  },
);
