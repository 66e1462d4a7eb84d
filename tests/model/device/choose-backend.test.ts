import { afterEach, expect, it, vi } from 'vitest';
import { MarbleError } from '../../../src/base/error';
import * as capabilities from '../../../src/gpu/capabilities';
import * as engine from '../../../src/gpu/engine';
import { chooseBackend } from '../../../src/model/device/choose-backend';
import { halfBillionConfig } from '../../../src/model/device/half-billion';

const shape = { prompts: 1, samplesPerPrompt: 1, promptTokens: 4, responseTokens: 4 };
const nowhere = { files: {} };

afterEach(() => vi.restoreAllMocks());

it('takes wasm without a WebGPU adapter and says why', async () => {
  const choice = await chooseBackend(nowhere, shape);
  expect(choice).toMatchObject({ backend: 'wasm', timings: [] });
  expect(choice.reason).toMatch(/no WebGPU/);
});

it('takes the GPU untimed where the arithmetic is in f16', async () => {
  vi.spyOn(capabilities, 'probeAdapter').mockResolvedValue({} as GPUAdapter);
  const open = vi.spyOn(engine, 'openEngine');
  const config = { ...halfBillionConfig(1), vocab_size: 16, eos_token_id: 1 };
  const files = { 'config.json': new Blob([JSON.stringify(config)]) };
  const lora = { rank: 2, alpha: 4, arithmetic: 'f16' } as const;
  expect(await chooseBackend({ files }, shape, { lora })).toMatchObject({ backend: 'webgpu', timings: [] });
  expect(open).not.toHaveBeenCalled();
});

it('runs on no backend where neither starts, and each says why', async () => {
  vi.spyOn(capabilities, 'probeAdapter').mockResolvedValue({} as GPUAdapter);
  vi.spyOn(engine, 'openEngine').mockRejectedValue(new MarbleError('gpu/no-device', 'It is broken.', 'none'));
  const files = {
    'config.json': new Blob([JSON.stringify({ ...halfBillionConfig(1), vocab_size: 16, eos_token_id: 1 })]),
  };
  await expect(chooseBackend({ files }, shape)).rejects.toMatchObject({
    code: 'model/no-backend',
    message: expect.stringMatching(/webgpu: It is broken\..* wasm: It is broken\./) as string,
  });
});
