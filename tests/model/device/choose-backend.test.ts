import { afterEach, expect, it, vi } from 'vitest';
import * as capabilities from '../../../src/gpu/capabilities';
import { chooseBackend } from '../../../src/model/device/choose-backend';
import { halfBillionConfig } from '../../fixtures/half-billion';

afterEach(() => vi.restoreAllMocks());

const sized = (layers: number, vocabulary: number) => {
  const sizes = { hidden_size: 56, vocab_size: vocabulary, eos_token_id: 1 };
  const json = JSON.stringify({ ...halfBillionConfig(layers), ...sizes });
  return { files: { 'config.json': new Blob([json]) } };
};
const [small, large] = [sized(1, 16), sized(1, 16_000)];

it.each([
  ['wasm', 'no WebGPU adapter', null, large],
  ['wasm', 'below a million weights', 'a card', small],
  ['webgpu', 'a million weights and more', 'a card', large],
  ['wasm', 'emulates the GPU', 'SwiftShader', large],
])('chooses %s: %s', async (backend, reason, card, source) => {
  const info = { vendor: '', architecture: '', device: '', description: card } as GPUAdapterInfo;
  vi.spyOn(capabilities, 'probeAdapter').mockResolvedValue(card === null ? null : ({ info } as GPUAdapter));
  const choice = await chooseBackend(source);
  expect(choice.backend).toBe(backend);
  expect(choice.reason).toContain(reason);
});
