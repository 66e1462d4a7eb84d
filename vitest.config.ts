import { defineConfig } from 'vitest/config';
import { webgpuEnv } from './tests/fixtures/webgpu-env';

/**
 * Three kinds of tests: `unit` in plain Node, `webgpu` in Node on a real WebGPU adapter (Dawn; Chromium's software adapter
 * where there is no graphics card), and `browser` in a real Chromium, which starts its own servers.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/**/*.webgpu.test.ts', 'tests/**/*.browser.test.ts', 'tests/e2e/**'],
          testTimeout: 60_000,
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
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.e2e.test.ts'],
          globalSetup: ['tests/e2e/build-and-serve.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          pool: 'forks',
          fileParallelism: false,
        },
      },
    ],
  },
});
