import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

it.each([
  ['npm test', ['scripts/test.ts', 'unti']],
  ['npm test, an option', ['scripts/test.ts', 'check:lint', '--evrything']],
])('%s: a part that does not exist is refused by name', (_, given) => {
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', ...given], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, expect.stringContaining(given.at(-1)!)]);
});
