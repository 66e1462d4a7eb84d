/** The package together with all of tfjs, installed by npm. Runs in `npm run test:slow`, if a registry is available. */
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { folderForAll } from '../fixtures/folder';
import { sampled } from '../fixtures/sample';
import { installPackage } from './installed';

const isAsked = sampled(false, true);
if (!isAsked) console.log('skipped: only `npm run test:slow` installs all of tfjs');

const program = `
import * as tf from '@tensorflow/tfjs';
import { openEngine } from 'marble-rl';
const made = tf.tensor([1, 2, 3]);
const engine = await openEngine({ backend: 'wasm' });
const layer = tf.layers.dense({ units: 1, kernelInitializer: 'ones', useBias: false });
const sum = layer.apply(tf.square(tf.tensor([[1, 2, 3]])));
console.log(tf.getBackend(), (await made.data()).join(), (await sum.data()).join(), engine.memory().total > 0);
`;

describe.skipIf(!isAsked)('all of tfjs together with Marble', () => {
  const folder = folderForAll('tfjs');
  const npm = (...args: string[]): { status: number | null; output: string } => {
    const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };
  beforeAll(async () => {
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    const { installed } = await installPackage('whole-tfjs');
    npm('pack', installed, '--ignore-scripts', '--silent');
  }, 300_000);

  it('shares one core, and its tensors and layers use the device that Marble opened', ({ skip }) => {
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
    const { status, output } = npm(
      'install',
      `./${tarball}`,
      '@tensorflow/tfjs@4.22.0',
      '--no-audit',
      '--no-fund',
    );
    if (status !== 0 && /ENOTFOUND|ETIMEDOUT|ECONNREFUSED|E40[34]/.test(output)) {
      console.log('skipped: tfjs cannot be installed here');
      skip();
    }
    expect(output.slice(status === 0 ? Infinity : -2000)).toBe('');
    const cores = readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith(join('@tensorflow', 'tfjs-core')),
    );
    expect(cores).toHaveLength(1);
    writeFileSync(join(folder, 'beside.mjs'), program);
    const { stdout, stderr } = spawnSync(process.execPath, ['beside.mjs'], { cwd: folder, encoding: 'utf8' });
    expect(stdout, stderr).toContain('wasm 1,2,3 14 true');

    // A release with another core would have incompatible tensors; npm reports the conflict.
    const other = npm('install', '@tensorflow/tfjs@3.21.0', '--package-lock-only', '--no-audit', '--no-fund');
    expect(other.output).toContain('ERESOLVE');
  }, 900_000);
});
