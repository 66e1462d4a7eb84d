import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import manifest from '../../package.json';
import { hasPython, python } from '../export/python';
import { installPackage, start, type Project } from './installed';

const root = join(import.meta.dirname, '..', '..');
vi.setConfig({ testTimeout: 240_000 });

let project: Project;
beforeAll(async () => {
  project = await installPackage('package');
}, 240_000);

/** The package's programs below a folder, as text by path. */
function programs(folder: string): Map<string, string> {
  const names = readdirSync(join(project.installed, 'dist-package', folder), {
    recursive: true,
    encoding: 'utf8',
  });
  return new Map(
    names
      .filter((name) => name.endsWith('.js'))
      .map((name) => [name, readFileSync(join(project.installed, 'dist-package', folder, name), 'utf8')]),
  );
}

describe('the npm package', () => {
  it('is smaller than a megabyte without models and declarations, and contains no sources', () => {
    const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: project.installed,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ size, files }] = JSON.parse(packed) as [
      { size: number; files: { path: string; size: number }[] },
    ];
    const weights = files.filter(({ path }) => path.endsWith('.safetensors'));
    expect(weights.length).toBeGreaterThan(0);
    // Weights are incompressible.
    const models = weights.reduce((sum, file) => sum + file.size, 0);
    expect(size - 0.9 * models).toBeLessThan(1_000_000);
    const folders = new Set(files.map(({ path }) => path.split('/')[0]));
    expect([...folders].sort()).toEqual(['dist-package', 'package.json']);
    expect(files.filter(({ path }) => /\.(ts|map|test\.js)$/.test(path))).toEqual([]);
    expect(files.filter(({ path }) => path.includes('adapter_'))).toEqual([]); // only in the page and the checkout
  });

  it('imports only the dependencies of package.json in Node and bundlers', () => {
    const named = new Set([...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)]);
    const imported = [...programs('.')]
      .filter(([name]) => !name.startsWith('browser/'))
      .flatMap(([, text]) => [...text.matchAll(/(?:from |import\()"([^".][^"]*)"/g)].map(([, name]) => name))
      .filter((name) => !name.startsWith('node:'));
    expect(imported.filter((name) => !named.has(name))).toEqual([]);
    expect(imported).toContain('@tensorflow/tfjs-core');
  });

  it('bundles a tfjs core only for plain servers and elsewhere uses the program’s', () => {
    // The key under which every copy of tfjs's core stores its engine.
    const holdsCore = (text: string): boolean => text.includes('_tfengine');
    const copies = [...programs('.')].filter(([, text]) => holdsCore(text)).map(([name]) => name);
    expect(copies.length).toBeGreaterThan(0);
    expect(copies.filter((name) => !name.startsWith('browser/'))).toEqual([]);
  });

  it('reads runs without loading tfjs', async () => {
    writeFileSync(
      join(project.folder, 'reads.mjs'),
      `import * as runs from 'marble-rl/runs';
       console.log(Object.keys(runs.presets).length, globalThis._tfengine === undefined);`,
    );
    const { code, output } = await start(project, process.execPath, ['reads.mjs']).ended;
    expect(output).toMatch(/^\d+ true\n$/);
    expect(code).toBe(0);
  });
});

describe('the examples', () => {
  it.each([
    [
      'node',
      /^right: [\d.]+\nstep 1: reward [\d.-]+\nstep 2: reward .*\nright: .*tfjs computes on wasm: 1, 4, 9\n/s,
    ],
    ['custom-reward', /^custom reward:? [\d.-]+\nstep 1: reward .*\nstep 2: reward .*\ncustom reward/],
  ])('%s.mjs trains in Node', { tags: ['long'] }, async (name, expected) => {
    copyFileSync(join(root, 'examples', `${name}.mjs`), join(project.folder, `${name}.mjs`));
    const { code, output } = await start(project, process.execPath, [`${name}.mjs`]).ended;
    expect(output).toMatch(expected);
    expect(code).toBe(0);
  });

  it.skipIf(!hasPython)('train from a notebook cell, which reads the rows', { tags: ['long'] }, async () => {
    const notebook = JSON.parse(readFileSync(join(root, 'examples', 'notebook.ipynb'), 'utf8')) as {
      cells: { source: string[] }[];
    };
    writeFileSync(
      join(project.folder, 'cell.py'),
      notebook.cells.map(({ source }) => source.join('')).join('\n'),
    );
    const { code, output } = await start(project, python, ['cell.py']).ended;
    expect(output).toMatch(/\n1 [\d.-]+ [\d.]+\n2 [\d.-]+ [\d.]+\n$/);
    expect(code).toBe(0);
  });
});
