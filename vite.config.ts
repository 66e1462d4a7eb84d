import { defineConfig, type Plugin } from 'vite';
import { version } from './package.json';
import { contentSecurityPolicy } from './scripts/content-security-policy';

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

export default defineConfig({
  // Relative addresses: any static host and any sub-folder serves the build.
  base: './',
  plugins: [policyInPage],
  // Stands in every run's record.
  define: { MARBLE_BUILD: JSON.stringify(version) },
  // The licences of all that is bundled stand in one file, not before each of a thousand modules.
  worker: { format: 'es', rolldownOptions: { output: { comments: { legal: false } } } },
  assetsInclude: ['**/*.wasm'],
  build: {
    target: 'es2022',
    // No data: addresses: the policy allows none for scripts or wasm.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
  },
});
