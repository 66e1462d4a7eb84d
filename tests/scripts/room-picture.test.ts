import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { drawnFromImports, picture } from '../../scripts/room-picture';

it('the picture of the rooms in the docs shows the imports of today', async () => {
  expect(readFileSync(picture, 'utf8')).toBe(await drawnFromImports());
  expect(readFileSync('docs/architecture.md', 'utf8')).toContain('](images/rooms.svg)');
});
