/**
 * CPU time of a preset's steps for each response token, on wasm and in PyTorch's eager mode on one thread, in turns:
 *
 *   npx tsx bench/steps/against-eager.ts --python <a Python with torch> [--preset swap-shortcut] [--runs 5] [--steps 8]
 *
 * Both take the same batches with the same lengths. Our side is bundled before, as the page and the package are: without
 * that each use of an import costs something. Prints every run, the medians and their ratio.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'vite';
import { dependencies } from '../../package.json';
import { oneCore } from '../../scripts/package/one-core';

const { values } = parseArgs({
  options: {
    python: { type: 'string', default: 'python3' },
    preset: { type: 'string', default: 'swap-shortcut' },
    runs: { type: 'string', default: '5' },
    steps: { type: 'string', default: '8' },
  },
});

const batches = join(mkdtempSync(join(tmpdir(), 'marble-eager-')), 'batches.json');
const root = join(import.meta.dirname, '..', '..');
const outDir = join(root, 'node_modules', '.cache', 'cpu-step');
await build({
  root,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  plugins: [oneCore()],
  build: {
    outDir,
    target: 'es2022',
    minify: false,
    lib: { entry: join(root, 'bench/steps/cpu-step.ts'), formats: ['es'], fileName: 'step' },
    rolldownOptions: { external: [/^node:/, 'webgpu', ...Object.keys(dependencies)] },
  },
});
const own = [join(outDir, 'step.js'), '--batches', batches, '--preset', values.preset];
const sides = [
  { program: process.execPath, given: [...own, '--steps', values.steps] },
  { program: values.python, given: ['bench/steps/eager_step.py', '--batches', batches] },
];

interface Line {
  cpuMicrosPerToken: number;
}
const micros: number[][] = sides.map(() => []);
for (let run = 0; run < Number(values.runs); run++) {
  for (const [side, { program, given }] of sides.entries()) {
    const printed = execFileSync(program, given, { encoding: 'utf8' }).trim().split('\n').at(-1)!;
    console.log(printed);
    micros[side].push((JSON.parse(printed) as Line).cpuMicrosPerToken);
  }
}
const median = (of: number[]): number => [...of].sort((a, b) => a - b)[Math.floor(of.length / 2)];
const [marble, eager] = micros.map(median);
const ratio = Number((marble / eager).toFixed(2));
console.log(JSON.stringify({ preset: values.preset, marble, eager, ratio, loadAverage: loadavg()[0] }));
