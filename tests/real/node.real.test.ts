import '../fixtures/webgpu/node-webgpu';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { filesIn } from '../../src/command/model-places';
import { loadPolicy, type Policy } from '../../src/index';
import { engine, openEngineForAll } from '../fixtures/engine';
import { folderForAll } from '../fixtures/folder';
import {
  answerOf,
  expectGolden,
  expectGoldenStep,
  questionsFor,
  readGolden,
  restoreGoldenAdapter,
} from './golden';
import { hasRealModel, writeRealModel } from './model';

describe.skipIf(!hasRealModel()).each(['wasm', 'webgpu'] as const)(
  'SmolLM2-135M-Instruct on %s',
  (backend) => {
    const isSoftware = (): boolean => engine.capabilities?.isSoftware === true;
    const folder = folderForAll('real');
    openEngineForAll(backend);
    let policy: Policy;
    beforeAll(async () => {
      writeRealModel(folder);
      // Matrix B of a fresh adapter is zero, so the answers are those of the base model.
      policy = await loadPolicy(engine, { files: await filesIn(folder) }, { lora: { rank: 4, alpha: 8 } });
    });
    afterAll(() => policy.dispose());

    it('gives PyTorch’s answers', async () => {
      for (const question of questionsFor(isSoftware()))
        expectGolden(question, await answerOf(policy, question));
    });

    it('has the loss and the gradients of PyTorch’s LoRA step', async ({ skip }) => {
      skip(isSoftware(), 'the software adapter takes four minutes for the step');
      const before = await policy.state();
      const golden = readGolden();
      try {
        await restoreGoldenAdapter(policy, golden);
        await expectGoldenStep(policy, golden);
      } finally {
        policy.restore(before);
      }
    });
  },
);
