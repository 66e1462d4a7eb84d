/**
 * `npm run matrix [-- test files]`: the kernels' tests and a run of three steps on every implementation of WebGPU that this
 * machine has for Node, one after another. Those that it lacks are named, and what the driver or the validation layers
 * warn of is counted.
 *
 *   Dawn on Chromium's software adapter (SwiftShader)
 *   Dawn on Mesa's (llvmpipe: f16 and subgroups; Debian's mesa-vulkan-drivers, of release 23 or later)
 *
 * Firefox and Deno (both wgpu) are not driven by it.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Implementation {
  name: string;
  /** Null where this machine lacks it. */
  environment: Record<string, string> | null;
  /** How to have it. */
  missing: string;
}

const mesaDrivers = ['lvp_icd.json', 'lvp_icd.x86_64.json', 'lvp_icd.aarch64.json'].map(
  (file) => `/usr/share/vulkan/icd.d/${file}`,
);
const mesa = mesaDrivers.find((file) => existsSync(file));
const chromium = ['/usr/lib/chromium', '/usr/lib/chromium-browser', '/opt/google/chrome'].some((folder) =>
  existsSync(`${folder}/vk_swiftshader_icd.json`),
);

const implementations: readonly Implementation[] = [
  {
    name: 'Dawn on SwiftShader',
    environment: chromium ? { MARBLE_ADAPTER: 'software' } : null,
    missing: 'install Chromium, which brings it',
  },
  {
    name: 'Dawn on llvmpipe',
    environment: mesa === undefined ? null : { VK_DRIVER_FILES: mesa },
    missing: 'install Mesa’s Vulkan drivers (mesa-vulkan-drivers)',
  },
];

const files = process.argv.slice(2);
const kernelTests = files.length > 0 ? files : ['tests/ops', 'tests/gpu', 'tests/model'];

const parts = [
  { part: 'kernels', command: ['npx', 'vitest', 'run', '--project', 'webgpu', ...kernelTests] },
  {
    part: 'three steps',
    command: ['node', 'scripts/run.mjs', 'scripts/step-hashes.ts', '--backend', 'webgpu', '--only', 'micro'],
  },
];

/** Prints what the command prints, and counts its warnings. */
async function run(
  [program, ...args]: readonly string[],
  environment: Record<string, string>,
): Promise<{ passed: boolean; warnings: number }> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  let warnings = 0;
  const read = async (stream: NodeJS.ReadableStream): Promise<void> => {
    for await (const line of createInterface(stream)) {
      if (/^(Warning|Validation (Warning|Error)|VUID-)/.test(line)) warnings++;
      console.log(`  ${line}`);
    }
  };
  await Promise.all([read(child.stdout), read(child.stderr), ended]);
  return { passed: (await ended) === 0, warnings };
}

const summary: string[] = [];
for (const { name, environment, missing } of implementations) {
  if (environment === null) {
    summary.push(`${name}: missing; ${missing}`);
    continue;
  }
  for (const { part, command } of parts) {
    console.log(`${name}: ${part}`);
    const { passed, warnings } = await run(command, environment);
    if (!passed) process.exitCode = 1;
    summary.push(`${name}: ${part} ${passed ? 'passed' : 'FAILED'}, ${warnings} warnings`);
  }
}
console.log(`\n${summary.join('\n')}`);
