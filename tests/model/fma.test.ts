/** On wasm all products of a model with bf16 weights use FMA, and none of a model with float32 alone. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { openEngine } from '../../src/gpu/engine';
import type * as Kernels from '../../src/gpu/wasm-kernels';
import { loadPolicy } from '../../src/model/load-policy';
import { sharedFiles } from '../fixtures/shared';
import { pulling } from './tiny';

/** Names of the kernels that ran. */
const called = vi.hoisted(() => new Set<string>());
vi.mock('../../src/gpu/wasm-kernels', async (original) => {
  const kernels = await original<typeof Kernels>();
  const call: typeof Kernels.call = (kernel, numbers) => {
    called.add(kernel);
    kernels.call(kernel, numbers);
  };
  return { ...kernels, call };
});

const model = sharedFiles('fixtures/qwen2-tied', ['config.json', 'model.safetensors']);
const options = { samplesPerPrompt: 2, maxNewTokens: 3, temperature: 1, seed: 1, stopIds: [] };

it.each([
  ['bf16', true],
  ['bf16', false],
  ['f32', true],
] as const)('a model of %s on an engine with FMA: %s', async (weights, fma) => {
  const engine = await openEngine({ backend: 'wasm', fma });
  onTestFinished(() => engine.dispose());
  const lora = weights === 'bf16' ? { rank: 4, alpha: 8 } : undefined; // without an adapter the weights are f32
  const policy = await loadPolicy(engine, model, { lora });
  called.clear();
  await policy.generate([[3, 4, 5, 6, 7]], options); // attention of a prompt and of new tokens
  const branches = [
    [3, 4, 5, 6],
    [3, 4, 5, 7, 8],
  ];
  await policy.backward(branches, [3, 3], pulling(1));
  await policy.backward([[9, 8, 7, 6]], [2], pulling(1));
  const products = [...called].filter((kernel) => /product/i.test(kernel));
  expect(products).toEqual([weights === 'bf16' && engine.fma ? 'fmaProduct' : 'product']);
});
