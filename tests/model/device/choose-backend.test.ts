import { afterEach, describe, expect, it, vi } from 'vitest';
import { MarbleError } from '../../../src/base/error';
import * as engine from '../../../src/gpu/engine';
import { chooseBackend } from '../../../src/model/device/choose-backend';

const shape = { prompts: 1, samplesPerPrompt: 1, promptTokens: 4, responseTokens: 4 };
const nowhere = { files: {} };

afterEach(() => vi.restoreAllMocks());

describe('without a WebGPU adapter', () => {
  it('takes wasm and says why', async () => {
    const choice = await chooseBackend(nowhere, shape);
    expect(choice).toMatchObject({ backend: 'wasm', timings: [] });
    expect(choice.reason).toMatch(/no WebGPU/);
  });

  it('takes cpu where wasm does not start', async () => {
    vi.spyOn(engine, 'openEngine').mockRejectedValue(new MarbleError('gpu/no-wasm', 'none', 'none'));
    const choice = await chooseBackend(nowhere, shape);
    expect(choice.backend).toBe('cpu');
    expect(choice.reason).toMatch(/WebAssembly/);
  });

  it('asks nothing where a backend was asked for', async () => {
    const choice = await chooseBackend(nowhere, shape, { backends: ['cpu'] });
    expect(choice).toMatchObject({ backend: 'cpu', reason: 'cpu was asked for.' });
  });
});
