/**
 * Builds the npm package into dist-package: `npm run build:package`.
 *
 * - index.js, runs.js, dawn.js and command.js for Node and for bundlers. The dependencies of package.json are not
 * bundled.
 * - browser/marble.js, the library with its dependencies and their licences, for a page on a plain server.
 * - models/, the small embedded models.
 * - types/, the declarations: `npm run build:types`.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** The compiler keeps import paths without extensions, so they are added here for Node's resolution. */
function buildTypes(types: string): void {
  rmSync(types, { recursive: true, force: true });
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const given = [compiler, '-p', join(import.meta.dirname, 'tsconfig.json')];
  const { status } = spawnSync(process.execPath, given, { stdio: 'inherit', cwd: root });
  if (status !== 0) throw new Error('The declarations could not be made.');
  for (const name of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const file = join(types, name);
    const text = readFileSync(file, 'utf8');
    // The compiler writes an import of an index file as its folder.
    const named = text.replace(/(from '|import\(['"])(\.{1,2})(?=['"])/g, '$1$2/index');
    writeFileSync(file, named.replace(/(from '|import\(['"])(\.{1,2}\/[^'"]+)(?=['"])/g, '$1$2.js'));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (process.argv[2] === 'types') buildTypes(join(root, 'dist-package', 'types'));
  else await buildPackage(join(root, 'dist-package'));
}
