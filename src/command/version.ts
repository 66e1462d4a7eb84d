/** What `--version` says besides the version: what of Marble works on this machine, and what to do about what does not. */
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
  /** Null where the thing works. */
  nextStep: string | null;
}

/** @param folder - where runs would be kept */
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
  const found = await backendFinding('webgpu');
  return { ...found, what: `${found.what} (${nameAdapter(adapter.info)})` };
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
      nextStep: 'Run in a folder of your own, or name one by --out.',
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
