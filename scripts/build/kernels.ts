/**
 * Compiles the CPU kernels (src/ops/assembly, AssemblyScript) into src/gpu/kernel-module.ts, a text module that every
 * bundler and Node can load. Runs after `npm ci`, and before tests, the dev server and builds if a source is newer.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..', '..');
const sources = join(root, 'src', 'ops', 'assembly');
const target = join(root, 'src', 'gpu', 'kernel-module.ts');
const cache = join(root, 'node_modules', '.cache');

const options = [
  ...['--config', 'none', '--optimizeLevel', '2', '--shrinkLevel', '0', '--noAssert'],
  ...['--runtime', 'stub', '--use', 'abort=', '--enable', 'simd'],
  // The memory is that of tfjs's backend, which may grow to 4 GB.
  ...['--importMemory', '--noExportMemory', '--maximumMemory', '65536'],
];

function isCurrent(): boolean {
  if (!existsSync(target)) return false;
  const made = statSync(target).mtimeMs;
  const files = [import.meta.filename, ...readdirSync(sources).map((name) => join(sources, name))];
  return files.every((file) => statSync(file).mtimeMs < made);
}

/** Compiles the kernels. @throws Error with the compiler's messages */
export function compileKernels(): void {
  if (isCurrent()) return;
  mkdirSync(cache, { recursive: true });
  const wasm = join(cache, `kernels-${process.pid}.wasm`);
  const binary = compile('index.ts', wasm);
  const fma = compile('fma.ts', wasm, ['--enable', 'relaxed-simd']);
  const names = WebAssembly.Module.exports(new WebAssembly.Module(binary)).map(({ name }) => name);
  const text = [
    '/** Made by scripts/build/kernels.ts from src/ops/assembly: not to be edited. */',
    `export const kernelNames = ${JSON.stringify(names)} as const;`,
    `export const kernelModule =\n  '${binary.toString('base64')}';`,
    `export const fmaModule =\n  '${fma.toString('base64')}';`,
  ].join('\n');
  writeFileSync(wasm, `${text}\n`);
  renameSync(wasm, target); // atomic, because two processes may compile
}

function compile(program: string, wasm: string, more: readonly string[] = []): Buffer<ArrayBuffer> {
  const compiler = join(root, 'node_modules', 'assemblyscript', 'bin', 'asc.js');
  const given = [compiler, join(sources, program), '--outFile', wasm, ...options, ...more];
  execFileSync(process.execPath, given, { stdio: 'inherit' });
  return readFileSync(wasm);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) compileKernels();
