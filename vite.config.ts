import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { version } from './package.json';
import { bundledLicences, withoutUnneededKernels } from './scripts/build/build-plugins';
import {
  contentSecurityPolicy,
  headersOfPage,
  isolationHeaders,
} from './scripts/build/content-security-policy';
import { docsBeside } from './scripts/build/docs-html';
import { compileKernels } from './scripts/build/kernels';
import { offlineShell } from './scripts/build/offline-shell';
import { spaceCard } from './scripts/build/space-card';

compileKernels();

/** The development server injects inline styles and scripts of its own, so the policy is written at build time only. */
const policyInPage: Plugin = {
  name: 'marble-content-security-policy',
  apply: 'build',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: contentSecurityPolicy },
      injectTo: 'head-prepend',
    },
  ],
};

/** The headers for hosts that read them from a file (a meta tag cannot refuse framing), and a Space's card. */
const filesBeside: Plugin = {
  name: 'marble-files-beside',
  apply: 'build',
  generateBundle() {
    const headers = Object.entries(headersOfPage).map(([name, value]) => `  ${name}: ${value}\n`);
    this.emitFile({ type: 'asset', fileName: 'README.md', source: spaceCard });
    this.emitFile({ type: 'asset', fileName: '_headers', source: `/*\n${headers.join('')}` });
  },
};

/** Parts of the worker that load when a run begins: tfjs's own files are all called `dist`. */
const chunkNames: readonly [path: string, name: string][] = [
  ['/src/index.ts', 'library'],
  ['/src/gpu/webgpu/backend.ts', 'backend-webgpu'],
  ['/tfjs-backend-wasm/', 'backend-wasm'],
];

/** Parameters of each model in `public/models`, counted from the shapes in its file's head. */
function parameterCounts(): Record<string, number> {
  const folder = join(import.meta.dirname, 'public', 'models');
  return Object.fromEntries(
    readdirSync(folder).map((name) => {
      const file = readFileSync(join(folder, name, 'model.safetensors'));
      const head = file.subarray(8, 8 + Number(file.readBigUInt64LE(0))).toString();
      const tensors = Object.entries(JSON.parse(head) as Record<string, { shape?: number[] }>);
      const sizes = tensors.map(([, { shape }]) => (shape ?? [0]).reduce((size, side) => size * side, 1));
      return [name, sizes.reduce((total, size) => total + size, 0)];
    }),
  );
}

/** The version, and the commit where there is one: results are the same bits for the same build alone. */
function buildName(): string {
  try {
    const commit = execFileSync('git', ['rev-parse', '--short=10', 'HEAD'], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return `${version}+${commit.toString().trim()}`;
  } catch {
    return version; // unpacked from an archive
  }
}

export default defineConfig({
  // Relative addresses: any static host and any sub-folder serves the build.
  base: './',
  plugins: [policyInPage, filesBeside, docsBeside, offlineShell],
  // Stands in every run's record.
  define: {
    MARBLE_BUILD: JSON.stringify(buildName()),
    MARBLE_MODELS: JSON.stringify(parameterCounts()),
  },
  worker: {
    format: 'es',
    plugins: () => [withoutUnneededKernels(), bundledLicences()],
    rolldownOptions: {
      output: {
        // What the GPU's backend borrows from the CPU's stands apart, or the CPU's would fetch the GPU's with it.
        codeSplitting: {
          groups: [
            { name: 'backend-shared', test: /tfjs-backend-cpu\/dist\/(shared\.js|kernels\/\w+_impl\.js)/ },
            // One run fetches all of one backend.
            {
              name: 'kernels-wgsl',
              test: /\/src\/ops\/(.*wgsl\.ts|matmul\/(?!wasm))/,
              includeDependenciesRecursively: false,
            },
            {
              name: 'kernels-wasm',
              test: /\/src\/(ops\/.*wasm|gpu\/kernel-module)/,
              includeDependenciesRecursively: false,
            },
          ],
        },
        // The licences of all that is bundled stand in one file, not before each of a thousand modules.
        comments: { legal: false },
        chunkFileNames: ({ name, facadeModuleId }) => {
          const known = chunkNames.find(([part]) => facadeModuleId?.includes(part))?.[1];
          return `assets/${known ?? name}-[hash].js`;
        },
      },
    },
  },
  // An address without a file is a 404, as on a static host.
  appType: 'mpa',
  server: { headers: isolationHeaders },
  // `npm start`. Always the same port, because what the browser keeps belongs to one address; under any name, because a class
  // opens the page by the name of the teacher's laptop (`npm start -- --host`).
  preview: { host: 'localhost', port: 5173, open: true, headers: headersOfPage, allowedHosts: true },
  assetsInclude: ['**/*.wasm'],
  build: {
    target: 'es2022',
    // No data: addresses: the policy allows none for scripts or wasm.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What every visit begins with, and what several parts fetched later share: else some fifty files of 1 kB.
            { name: 'page', tags: ['$initial'], test: /^(?!.*(service-worker|shell-cache))/ },
            { name: 'shared', minShareCount: 2, test: /\/src\/app\// },
          ],
        },
      },
    },
  },
});
