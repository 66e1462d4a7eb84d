/**
 * Default backend of a run: wasm below a million weights, where a GPU's overhead per command exceeds the arithmetic, and if the
 * WebGPU adapter is emulated in software; WebGPU otherwise.
 */
import { checkKeys } from '../../base/known-keys';
import { isSoftwareAdapter, nameAdapter, probeAdapter } from '../../gpu/capabilities';
import type { BackendName } from '../../gpu/engine';
import { parseModelConfig } from '../config';
import { parameterCount } from '../files/tensor-table';
import { openSource, type ModelSource, type OpenOptions } from '../source/source';

export interface BackendChoice {
  backend: BackendName;
  /** Reason for the choice, one sentence for the page. */
  reason: string;
}

/** Number of weights from which a GPU is faster. */
const FOR_GPU = 1e6;

/**
 * Chooses the default backend of a model. Reads only its `config.json`, and nothing if there is no hardware adapter.
 *
 * @throws MarbleError those of `openSource` and of an unsupported configuration
 */
export async function chooseBackend(
  source: ModelSource,
  options: { open?: OpenOptions } = {},
): Promise<BackendChoice> {
  checkKeys('chooseBackend', options, { open: true });
  const adapter = await probeAdapter();
  if (adapter === null) return { backend: 'wasm', reason: 'There is no WebGPU adapter here.' };
  if (isSoftwareAdapter(adapter.info)) {
    return { backend: 'wasm', reason: `The processor emulates the GPU here: ${nameAdapter(adapter.info)}.` };
  }
  const files = await openSource(source, options.open);
  const weights = parameterCount(parseModelConfig(await files.json('config.json')));
  return weights < FOR_GPU
    ? { backend: 'wasm', reason: 'Models below a million weights are faster on the CPU.' }
    : { backend: 'webgpu', reason: 'Models of a million weights and more are faster on the GPU.' };
}
