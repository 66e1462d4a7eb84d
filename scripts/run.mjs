/**
 * Runs a TypeScript program of the project in Node:
 *
 *     node scripts/run.mjs scripts/step-hashes.ts --only ladder-25k
 *
 * It uses Vite's module runner, as the tests do, because the imports in tfjs's ES modules lack the file extensions that
 * Node needs. The process restarts with the environment in which Node's WebGPU finds an adapter, unless MARBLE_RUN is
 * 1, for example under Node's profiler.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { createServer } from 'vite';

const [program, ...rest] = process.argv.slice(2);
if (program === undefined) {
  console.error('usage: node scripts/run.mjs <program.ts> [arguments]');
  process.exit(2);
}

const server = await createServer({
  root: dirname(import.meta.dirname), // independent of the current folder
  configFile: false,
  logLevel: 'error',
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true },
  ssr: { noExternal: [/^@tensorflow\/tfjs-(core|backend-webgpu|backend-cpu)/] },
});

let status = 0;
if (process.env.MARBLE_RUN === '1') {
  globalThis.require = createRequire(import.meta.url); // tfjs uses it to load Node's modules
  process.argv.splice(1, 2, resolve(program));
  const { compileKernels } = await server.ssrLoadModule('/scripts/build/kernels.ts');
  compileKernels();
  await server.ssrLoadModule(resolve(program));
} else {
  const { webgpuEnv } = await server.ssrLoadModule('/tests/fixtures/webgpu/webgpu-env.ts');
  const child = spawnSync(process.execPath, [import.meta.filename, program, ...rest], {
    stdio: 'inherit',
    env: { ...process.env, ...webgpuEnv, MARBLE_RUN: '1' },
  });
  status = child.status ?? 1;
}
await server.close();
process.exit(process.exitCode ?? status);
