/**
 * Chooses the backend of a run and records its machine. It uses the requested backend, else the one on which the run
 * started, else the default for its model.
 */
import { availableParallelism, totalmem } from 'node:os';
import { version } from '../../package.json';
import { MarbleError, toErrorReport } from '../base/error';
import { nameAdapter, probeAdapter } from '../gpu/capabilities';
import { openEngine, type BackendName } from '../gpu/engine';
import { chooseBackend, type BackendChoice } from '../model/device/choose-backend';
import type { ModelSource } from '../model/source/source';
import type { RunRecord } from '../run/record/run-record';
import { openDawn } from './dawn';
import type { Terminal } from './terminal';

/**
 * The record has the same form as the page's.
 *
 * @param data ids of the imported data sets that the run began with
 */
export function machineRecord(backend: object, data: readonly string[]): Record<string, unknown> {
  return {
    browser: `Node.js ${process.versions.node} (${process.platform} ${process.arch})`,
    cores: availableParallelism(),
    build: version,
    backend,
    ...(data.length > 0 && { data }),
  };
}

/** The reason why WebGPU is unavailable in this process; null if it has an adapter. */
export async function webgpuFault(): Promise<MarbleError | null> {
  if (!(await openDawn())) {
    return new MarbleError(
      'command/no-webgpu',
      'WebGPU in Node needs the package `webgpu` (Dawn), which is not installed or does not start here.',
      'Install it with `npm install webgpu` next to marble-rl, or use --backend wasm.',
    );
  }
  if ((await probeAdapter()) !== null) return null;
  return new MarbleError(
    'command/no-webgpu',
    'Dawn found no usable adapter. If it rejected one, for example an old one, its messages above name what is missing.',
    'Install or update the driver of the graphics card (Vulkan on Linux, with Mesa 23 or newer), or use --backend wasm.',
  );
}

/**
 * Returns whether the engine may use FMA: for a new run, and for one that began with it.
 *
 * @param began - machine on which the run began; null for a new run
 */
export function mayUseFma(began: RunRecord['machine'] | null | undefined): boolean {
  return began == null || began.backend?.fma === true;
}

/**
 * Chooses the backend of a run.
 *
 * @param before the backend that a resumed run started on; another backend would give different rows
 * @throws MarbleError `command/no-webgpu`
 */
export async function backendOf(
  source: ModelSource,
  requested: BackendName | undefined,
  before: BackendName | undefined,
): Promise<BackendChoice> {
  const wanted = requested ?? before;
  const fault = wanted === 'wasm' ? null : await webgpuFault();
  if (wanted === undefined) return chooseBackend(source);
  if (fault !== null) throw fault;
  const reason = requested === undefined ? 'The run was begun on it.' : 'It was chosen for this run.';
  return { backend: wanted, reason };
}

/** Prints the lines of `--version`: which backends start on this machine, and the next step for one that does not. */
export async function sayMachine(terminal: Terminal): Promise<void> {
  const memory = (totalmem() / 2 ** 30).toFixed(1);
  terminal.say(
    `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${availableParallelism()} cores, ${memory} GB of memory`,
  );
  for (const backend of ['wasm', 'webgpu'] as const) {
    const fault = await faultOf(backend);
    const adapter =
      backend === 'webgpu' && fault === null ? ` (${nameAdapter((await probeAdapter())!.info)})` : '';
    terminal.say(fault === null ? `ok       ${backend}${adapter}` : `missing  ${backend}: ${fault}`);
  }
}

async function faultOf(backend: BackendName): Promise<string | null> {
  try {
    const missing = backend === 'webgpu' ? await webgpuFault() : null;
    if (missing !== null) throw missing;
    (await openEngine({ backend })).dispose();
    return null;
  } catch (thrown) {
    const { message, nextStep } = toErrorReport(thrown);
    return `${message} ${nextStep}`;
  }
}
