import { afterAll, beforeAll, describe } from 'vitest';
import { openEngine, type Engine } from '../../src/gpu/engine';
import { bothModels, describeGoldenPolicies, describeStories } from './golden-policy';
import { sampled } from '../fixtures/sample';

describe.each(['wasm', 'cpu'] as const)('%s', (backend) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openEngine({ backend });
  });
  afterAll(() => engine.dispose());
  // tfjs's cpu backend is slow, and runs the reference implementations that wasm runs
  describeGoldenPolicies(
    backend,
    () => engine,
    backend === 'cpu' ? sampled(['qwen2-tied'], bothModels) : bothModels,
  );
  if (backend === 'wasm') describeStories(backend, () => engine);
});
