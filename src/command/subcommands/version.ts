/** Lines of `--version`: which backends start on this machine, and the next step for one that does not. */
import { availableParallelism, totalmem } from 'node:os';
import { toErrorReport } from '../../base/error';
import { nameAdapter, probeAdapter } from '../../gpu/capabilities';
import { openEngine, type BackendName } from '../../gpu/engine';
import { webgpuFault } from '../machine';
import type { Terminal } from '../terminal';

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
