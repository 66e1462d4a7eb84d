import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Imports } from '../../scripts/imports';
import { drawnFromImports, picture, reduced, roomGraph } from '../../scripts/room-picture';

it('the picture of the rooms in the docs shows the imports of today', async () => {
  expect(readFileSync(picture, 'utf8')).toBe(await drawnFromImports());
  expect(readFileSync('docs/architecture.md', 'utf8')).toContain('](images/rooms.svg)');
});

it('an import that a longer path implies has no arrow, but types imply no values', () => {
  const arrows = (topIsTyped: boolean, midIsTyped: boolean): string[] => {
    const imports: Imports = new Map([
      [
        'src/top/a.ts',
        [
          { file: 'src/mid/b.ts', typeOnly: topIsTyped },
          { file: 'src/low/c.ts', typeOnly: false },
          { file: 'src/base/d.ts', typeOnly: false },
        ],
      ],
      ['src/mid/b.ts', [{ file: 'src/low/c.ts', typeOnly: midIsTyped }]],
      ['src/low/c.ts', []],
    ]);
    return [...reduced(roomGraph(imports)).get('top')!.keys()];
  };
  expect(arrows(false, false)).toEqual(['mid']);
  expect(arrows(false, true)).toEqual(['mid', 'low']);
  expect(arrows(true, false)).toEqual(['mid', 'low']);
});
