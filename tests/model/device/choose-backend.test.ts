import { afterEach, expect, it, vi } from 'vitest';
import * as capabilities from '../../../src/gpu/capabilities';
import { chooseBackend } from '../../../src/model/device/choose-backend';
import { halfBillionConfig } from '../../fixtures/half-billion';

afterEach(() => vi.restoreAllMocks());

const adapter = (description: string): void => {
  const info = { vendor: '', architecture: '', device: '', description } as GPUAdapterInfo;
  vi.spyOn(capabilities, 'probeAdapter').mockResolvedValue({ info } as GPUAdapter);
};
const sized = (layers: number, vocabulary: number) => ({
  files: {
    'config.json': new Blob([
      JSON.stringify({
        ...halfBillionConfig(layers),
        hidden_size: 56,
        vocab_size: vocabulary,
        eos_token_id: 1,
      }),
    ]),
  },
});
const [small, large] = [sized(1, 16), sized(1, 16_000)];

it.each([
  ['wasm', 'no WebGPU adapter', null, large],
  ['wasm', 'below a million weights', 'a card', small],
  ['webgpu', 'a million weights and more', 'a card', large],
  ['wasm', 'emulates the GPU', 'SwiftShader', large],
])('chooses %s: %s', async (backend, reason, card, source) => {
  if (card === null) vi.spyOn(capabilities, 'probeAdapter').mockResolvedValue(null);
  else adapter(card);
  const choice = await chooseBackend(source);
  expect(choice.backend).toBe(backend);
  expect(choice.reason).toContain(reason);
});
