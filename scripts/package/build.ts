/**
 * Builds the npm package into dist-package: `npm run build:package`.
 *
 * - index.js, runs.js, dawn.js and command.js for Node and for bundlers. The dependencies of package.json are not
 * bundled.
 * - browser/marble.js, the library with its dependencies and their licences, for a page on a plain server.
 * - models/, the small embedded models.
 *
 * declarations.ts writes the declarations.
 */
import { chmodSync, cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type InlineConfig } from 'vite';
import { dependencies } from '../../package.json';
import { bundledLicences, withoutUnneededKernels } from '../build/build-plugins';
import { compileKernels } from '../build/kernels';

const root = join(import.meta.dirname, '..', '..');
/** The embedded models that fit into a package below one megabyte. */
const smallModels = ['ladder-12k', 'ladder-25k'];

const shared: InlineConfig = { root, configFile: false, logLevel: 'warn', publicDir: false };
const names = { chunkFileNames: 'parts/[name].js', entryFileNames: '[name].js' };

export async function buildPackage(out: string): Promise<void> {
  compileKernels();
  rmSync(out, { recursive: true, force: true });
  await build({
    ...shared,
    build: {
      outDir: out,
      target: 'es2022',
      minify: false,
      lib: {
        entry: {
          index: join(root, 'src/index.ts'),
          runs: join(root, 'src/runs.ts'),
          dawn: join(root, 'src/command/dawn.ts'),
          command: join(root, 'src/command/index.ts'),
        },
        formats: ['es'],
      },
      rolldownOptions: { external: [/^node:/, 'webgpu', ...Object.keys(dependencies)], output: names },
    },
  });
  chmodSync(join(out, 'command.js'), 0o755);

  await build({
    ...shared,
    plugins: [withoutUnneededKernels(), bundledLicences()],
    build: {
      outDir: join(out, 'browser'),
      target: 'es2022',
      minify: 'oxc',
      lib: { entry: { marble: join(root, 'src/index.ts') }, formats: ['es'] },
      rolldownOptions: { output: { ...names, comments: { legal: false } } },
    },
  });
  cpSync(
    join(root, 'node_modules/@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm'),
    join(out, 'browser', 'tfjs-backend-wasm-simd.wasm'),
  );
  for (const name of smallModels) {
    const from = join(root, 'public', 'models', name);
    cpSync(from, join(out, 'models', name), { recursive: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await buildPackage(join(root, 'dist-package'));
