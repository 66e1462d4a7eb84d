/** Lines of `--version`: what works on this machine, and the next step for what does not. */
import { accessSync, constants, statfsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { toErrorReport } from '../base/error';
import { nameAdapter, probeAdapter } from '../gpu/capabilities';
import { openEngine, type BackendName } from '../gpu/engine';
import { homePresets, presets } from '../run/config/presets';
import { webgpuFault } from './machine';
import { modelSourceOf, type Places } from './model-places';
import type { Terminal } from './terminal';

interface Finding {
  what: string;
  /** Null if it works. */
  nextStep: string | null;
}

/** @param folder folder for runs */
export async function sayMachine(folder: string, places: Places, terminal: Terminal): Promise<void> {
  const findings: Finding[] = [
    {
      what: `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${availableParallelism()} cores, ${gigabytes(totalmem())} of memory`,
      nextStep: null,
    },
    await backendFinding('wasm'),
    await webgpuFinding(),
    folderFinding(folder),
    ...(await modelFindings(places)),
  ];
  for (const { what, nextStep } of findings) {
    terminal.say(nextStep === null ? `ok       ${what}` : `missing  ${what} ${nextStep}`);
  }
}

async function backendFinding(backend: BackendName): Promise<Finding> {
  try {
    (await openEngine({ backend })).dispose();
    return { what: `${backend} starts`, nextStep: null };
  } catch (thrown) {
    const { message, nextStep } = toErrorReport(thrown);
    return { what: `${backend}: ${message}`, nextStep };
  }
}

async function webgpuFinding(): Promise<Finding> {
  const fault = await webgpuFault();
  if (fault !== null) return { what: `webgpu: ${fault.message}`, nextStep: fault.nextStep };
  const adapter = (await probeAdapter())!;
  const backend = await backendFinding('webgpu');
  return { ...backend, what: `${backend.what} (${nameAdapter(adapter.info)})` };
}

function folderFinding(folder: string): Finding {
  const path = resolve(folder);
  try {
    accessSync(path, constants.W_OK);
    const { bavail, bsize } = statfsSync(path);
    return { what: `${path} can be written, ${gigabytes(bavail * bsize)} free`, nextStep: null };
  } catch {
    return {
      what: `${path} cannot be written.`,
      nextStep: 'Run in a folder that you can write to, or name one with --out.',
    };
  }
}

async function modelFindings(places: Places): Promise<Finding[]> {
  const findings = Object.entries(homePresets).map(async ([name, preset]): Promise<Finding> => {
    try {
      await modelSourceOf(presets[preset], places, null);
      return { what: `model ${name}`, nextStep: null };
    } catch (thrown) {
      const { nextStep } = toErrorReport(thrown);
      return { what: `model ${name} is not in this package.`, nextStep };
    }
  });
  return Promise.all(findings);
}

function gigabytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GB`;
}
