import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { version } from './package.json';
import { bundledLicences, withoutUnneededKernels } from './scripts/build-plugins';
import { contentSecurityPolicy, headersOfPage } from './scripts/content-security-policy';
import { errorsHtml } from './scripts/errors-html';

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

/** What error screens link to, and the headers for hosts that read them from a file: a meta tag cannot refuse framing. */
const filesBeside: Plugin = {
  name: 'marble-files-beside',
  apply: 'build',
  generateBundle() {
    const markdown = readFileSync(join(import.meta.dirname, 'docs', 'errors.md'), 'utf8');
    this.emitFile({ type: 'asset', fileName: 'errors.html', source: errorsHtml(markdown) });
    const headers = Object.entries(headersOfPage).map(([name, value]) => `  ${name}: ${value}\n`);
    this.emitFile({ type: 'asset', fileName: '_headers', source: `/*\n${headers.join('')}` });
  },
};

/** Parts of the worker that load when a run begins: tfjs's own files are all called `dist`. */
const chunkNames: readonly [path: string, name: string][] = [
  ['/src/index.ts', 'library'],
  ['/src/gpu/webgpu-backend.ts', 'backend-webgpu'],
  ['/tfjs-backend-wasm/', 'backend-wasm'],
  ['/tfjs-backend-cpu/', 'backend-cpu'],
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

export default defineConfig({
  // Relative addresses: any static host and any sub-folder serves the build.
  base: './',
  plugins: [policyInPage, filesBeside],
  // Stands in every run's record.
  define: { MARBLE_BUILD: JSON.stringify(version), MARBLE_MODELS: JSON.stringify(parameterCounts()) },
  worker: {
    format: 'es',
    plugins: () => [withoutUnneededKernels(), bundledLicences()],
    rolldownOptions: {
      output: {
        // What the GPU's backend borrows from the CPU's stands apart, or the CPU's would fetch the GPU's with it.
        codeSplitting: {
          groups: [
            { name: 'backend-shared', test: /tfjs-backend-cpu\/dist\/(shared\.js|kernels\/\w+_impl\.js)/ },
          ],
        },
        // The licences of all that is bundled stand in one file, not before each of a thousand modules.
        comments: { legal: false },
        chunkFileNames: ({ name, facadeModuleId }) =>
          `assets/${chunkNames.find(([part]) => facadeModuleId?.includes(part))?.[1] ?? name}-[hash].js`,
      },
    },
  },
  assetsInclude: ['**/*.wasm'],
  build: {
    target: 'es2022',
    // No data: addresses: the policy allows none for scripts or wasm.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
  },
});
