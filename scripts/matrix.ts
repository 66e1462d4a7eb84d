/**
 * `npm run matrix [-- test files]`: runs the kernel tests, and three steps of a run on good and on bad devices
 * (tests/matrix/gauntlet.webgpu.test.ts), on every implementation of WebGPU on this machine. It names the missing
 * implementations.
 *
 *     Dawn on Chromium's software adapter (SwiftShader)
 *     Dawn on Mesa's (llvmpipe; Debian's mesa-vulkan-drivers, of release 23 or later)
 *     Firefox, which uses wgpu
 *
 * Firefox cannot run vitest. It runs every op of tests/matrix/kernel-cases.ts and three steps, and compares both with
 * wasm.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { checkInFirefox, findFirefox } from '../tests/matrix/in-firefox';

interface Implementation {
  name: string;
  /** Environment variables; null if this machine lacks the implementation. */
  environment: Record<string, string> | null;
  /** How to install it. */
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
    missing: 'install Mesa’s Vulkan drivers (mesa-vulkan-drivers), of release 23 or later',
  },
];

const files = process.argv.slice(2);
const parts: { part: string; tests: string[]; environment?: Record<string, string> }[] = [
  { part: 'kernels', tests: files.length > 0 ? files : ['tests/ops', 'tests/gpu', 'tests/model'] },
  { part: 'bad devices', tests: ['tests/matrix'], environment: { MARBLE_SAMPLES: 'whole' } },
];

function passes(tests: readonly string[], environment: Record<string, string>): boolean {
  const env = { ...process.env, ...environment };
  const args = ['vitest', 'run', '--project', 'webgpu', ...tests];
  return spawnSync('npx', args, { stdio: 'inherit', env }).status === 0;
}

/** False if a driver is installed that Dawn rejects. */
function hasAdapter(environment: Record<string, string>): boolean {
  const look = `import { create } from 'webgpu'; process.exit((await create([]).requestAdapter()) ? 0 : 1)`;
  const env = { ...process.env, ...environment };
  return spawnSync('node', ['--input-type=module', '-e', look], { env }).status === 0;
}

const summary: string[] = [];
for (const { name, environment, missing } of implementations) {
  // Chromium's adapter needs the loader's variables, which its tests set themselves.
  if (environment === null || (environment.MARBLE_ADAPTER === undefined && !hasAdapter(environment))) {
    summary.push(`${name}: missing; ${missing}`);
    continue;
  }
  for (const { part, tests, environment: more } of parts) {
    console.log(`${name}: ${part}`);
    const passed = passes(tests, { ...environment, ...more });
    if (!passed) process.exitCode = 1;
    summary.push(`${name}: ${part} ${passed ? 'passed' : 'FAILED'}`);
  }
}

/** Largest relative difference between the gradient norms of Firefox and of wasm; the kernels have the same limit. */
const NORM_TOLERANCE = 5e-5;

/** Time limit, because software adapters compile the kernels of wgpu slowly. */
const MINUTES = 30;

async function checkFirefox(command: string): Promise<string> {
  console.log('Firefox');
  const log = (line: string): void => console.log(`  ${line}`);
  const result = await checkInFirefox(command, MINUTES, log);
  const wrong = Object.entries(result.wrong).map(([kernel, off]) => `; ${kernel} is off by ${off}`);
  const isSame = result.sameRewardsAndLengths;
  const passed = wrong.length === 0 && isSame && result.gradientNormDifference < NORM_TOLERANCE;
  if (!passed) process.exitCode = 1;
  return (
    `${passed ? 'passed' : 'FAILED'}; ` +
    `${result.kernels - wrong.length} of ${result.kernels} kernels as on wasm${wrong.join('')}; ` +
    `three steps with ${isSame ? 'the same' : 'OTHER'} rewards and lengths, gradient norms ` +
    `${result.gradientNormDifference.toExponential(1)} apart`
  );
}

function failedFirefox(error: unknown): string {
  process.exitCode = 1;
  return `FAILED: ${String(error)}`;
}

const found = findFirefox();
const isMissing = 'missing; install Firefox (firefox-esr)';
summary.push(`Firefox: ${found === null ? isMissing : await checkFirefox(found).catch(failedFirefox)}`);
console.log(`\n${summary.join('\n')}`);
