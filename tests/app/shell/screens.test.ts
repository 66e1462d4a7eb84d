import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { screens } from '../../../src/app/shell/screens';

const root = join(import.meta.dirname, '..', '..', '..');

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8'));
}

it('every error that has a screen of its own is one that is thrown', () => {
  const thrown = [...sources('src'), ...sources('workers')].join('\n');
  expect(Object.keys(screens).filter((code) => !thrown.includes(`'${code}'`))).toEqual([]);
});
