/** On what a run is made: the backend that is asked for, that the run began on, or the usual one for its model; and its record. */
import { availableParallelism } from 'node:os';
import { version } from '../../package.json';
import { MarbleError } from '../base/error';
import { probeAdapter } from '../gpu/capabilities';
import type { BackendName } from '../gpu/engine';
import { chooseBackend, type BackendChoice } from '../model/device/choose-backend';
import type { ModelSource } from '../model/source/source';
import { openDawn } from './dawn';

/** In the form of the page's own record of a machine. */
export function machineRecord(backend: object): Record<string, unknown> {
  return {
    browser: `Node.js ${process.versions.node} (${process.platform} ${process.arch})`,
    cores: availableParallelism(),
    build: version,
    backend,
  };
}

/** What keeps WebGPU from this process; null where it has an adapter. */
export async function webgpuFault(): Promise<MarbleError | null> {
  if (!(await openDawn())) {
    return new MarbleError(
      'command/no-webgpu',
      'WebGPU in Node comes with the package `webgpu` (Dawn), which is not installed or does not start here.',
      'Install it with `npm install webgpu` beside marble-rl, or take --backend wasm.',
    );
  }
  if ((await probeAdapter()) !== null) return null;
  return new MarbleError(
    'command/no-webgpu',
    'Dawn finds no adapter that it can use; of those that it refuses, as too old ones, it says above what they lack.',
    'Install or update the driver of the graphics card (Vulkan on Linux, by Mesa 23 or newer), or take --backend wasm.',
  );
}

/**
 * @param before what a run that goes on was begun on: another backend would not give the same rows
 * @throws MarbleError `command/no-webgpu`
 */
export async function backendOf(
  source: ModelSource,
  asked: BackendName | undefined,
  before: BackendName | undefined,
): Promise<BackendChoice> {
  const wanted = asked ?? before;
  const fault = wanted === 'wasm' || wanted === 'cpu' ? null : await webgpuFault();
  if (wanted === undefined) return chooseBackend(source);
  if (fault !== null) throw fault;
  const reason = asked === undefined ? 'The run was begun on it.' : 'It was chosen for this run.';
  return { backend: wanted, reason };
}
