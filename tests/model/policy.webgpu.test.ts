import '../fixtures/node-webgpu';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openEngine, type Engine } from '../../src/gpu/engine';
import { describeGoldenPolicies, describeStories } from './golden-policy';
import { expectGradientsToMatchDifferences } from './gradients';
import { tinyPolicy } from './tiny';

describe('webgpu', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openEngine({ backend: 'webgpu' });
  });
  afterAll(() => engine.dispose());

  describeGoldenPolicies('webgpu', () => engine);
  describeStories('webgpu', () => engine);

  it('has the gradients of the loss, fully trained', async () => {
    const policy = await tinyPolicy(engine, { tiedHead: false, kvHeads: 3 });
    await expectGradientsToMatchDifferences(policy);
    policy.dispose();
  });
});
