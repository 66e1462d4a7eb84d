import { describe } from 'vitest';
import { bothModels, describeGoldenPolicies, describeStories } from './golden-policy';
import { sampled } from '../fixtures/sample';
import { engine, openEngineForAll } from '../fixtures/engine';

describe.each(['wasm', 'cpu'] as const)('%s', (backend) => {
  openEngineForAll(backend);
  // tfjs's cpu backend is slow and runs the same reference implementations as wasm.
  describeGoldenPolicies(
    backend,
    () => engine,
    backend === 'cpu' ? sampled(['qwen2-tied'], bothModels) : bothModels,
  );
  if (backend === 'wasm') describeStories(backend, () => engine);
});
