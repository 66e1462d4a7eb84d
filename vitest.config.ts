import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { compileKernels } from './scripts/build/kernels';
import { webgpuEnv } from './tests/fixtures/webgpu/webgpu-env';

compileKernels();

/**
 * Files that put modules of their own in the place of others need their own copy of all. The other files share one for
 * each process: loading tfjs and the sources takes longer than most of them run.
 */
const mocked = readdirSync('tests', { recursive: true, encoding: 'utf8' })
  .map((name) => join('tests', name))
  .filter((file) => file.endsWith('.test.ts') && readFileSync(file, 'utf8').includes('vi.mock('));

/**
 * Five kinds of tests: `unit` and `unit-mocked` in plain Node, `webgpu` in Node on a real WebGPU adapter (Dawn; Chromium's
 * software adapter where there is no graphics card), `browser` in a real Chromium, which starts its own servers, `e2e` on
 * the built page, and `real` with a real model, which `npm test` leaves out.
 */
export default defineConfig({
  test: {
    tags: [
      {
        name: 'long',
        description:
          'Takes more than some seconds: `npm test` leaves it out, `npm run test:slow` and CI run it.',
      },
    ],
    // what Vite makes of a module: the projects are run one after another, and each would make it again
    experimental: {
      fsModuleCache: true,
      fsModuleCachePath: join('node_modules', '.cache', 'vitest-modules'),
    },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['tests/**/*.test.ts'],
          exclude: [
            ...['tests/**/*.webgpu.test.ts', 'tests/**/*.browser.test.ts', 'tests/e2e/**', 'tests/real/**'],
            ...mocked,
          ],
          setupFiles: ['tests/fixtures/restore-globals.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          pool: 'forks',
          isolate: false,
        },
      },
      {
        test: {
          name: 'unit-mocked',
          include: mocked,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          pool: 'forks',
        },
      },
      {
        test: {
          name: 'webgpu',
          include: ['tests/**/*.webgpu.test.ts'],
          env: webgpuEnv,
          testTimeout: 240_000,
          hookTimeout: 60_000,
          pool: 'forks',
          isolate: false,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['tests/**/*.browser.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          pool: 'forks',
          isolate: false,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.e2e.test.ts'],
          setupFiles: ['tests/e2e/helpers/browser-for-all.ts'],
          // What a page shows comes when the machine has time for it; a second is vitest's own.
          expect: { poll: { timeout: 20_000 } },
          globalSetup: ['tests/e2e/helpers/build-and-serve.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          pool: 'forks',
          isolate: false,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'real',
          include: ['tests/real/**/*.real.test.ts'],
          env: webgpuEnv,
          globalSetup: ['tests/e2e/helpers/build-and-serve.ts'],
          testTimeout: 1_200_000,
          hookTimeout: 120_000,
          pool: 'forks',
          fileParallelism: false,
        },
      },
    ],
  },
});
