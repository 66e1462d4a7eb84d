import { afterAll, beforeAll, describe } from 'vitest';
import { openEngine, type Engine } from '../../src/gpu/engine';
import { describeGoldenPolicies, describeStories } from './golden-policy';

describe.each(['wasm', 'cpu'] as const)('%s', (backend) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openEngine({ backend });
  });
  afterAll(() => engine.dispose());
  describeGoldenPolicies(backend, () => engine);
  if (backend === 'wasm') describeStories(backend, () => engine);
});
