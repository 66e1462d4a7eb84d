import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '..', '..', '..', 'src', 'app');
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.css'),
);
const sheets = names.map((name) => ({
  name,
  text: readFileSync(join(folder, name), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, ''),
}));

/** What is set in all sheets under names that fit, with the sheet it stands in. */
function declarations(names: RegExp): string[] {
  return sheets.flatMap(({ name, text }) =>
    [...text.matchAll(/(?<=[{;]\s*)([a-z-]+):\s*([^;{}]+);/g)]
      .filter(([, property]) => names.test(property))
      .map(([, property, value]) => `${name}: ${property}: ${value.trim()}`),
  );
}

describe('the look of the page', () => {
  it('has texts of six sizes and no others, but for paper', () => {
    const sizes = declarations(/^font-size$/).filter((line) => !/: (var\(--text-\w+\)|10pt)$/.test(line));
    expect(sizes).toEqual([]);
    expect(declarations(/^font$/).filter((line) => /\d(rem|px)/.test(line))).toEqual([]);
  });

  it('has all its spacing from one set', () => {
    const own = declarations(/^((row-|column-)?gap|(padding|margin)(-[a-z]+)*)$/).filter((line) =>
      /\d(rem|px)/.test(line.replace(/clamp\([^)]*\)/, '')),
    );
    expect(own).toEqual([]);
  });

  /** What each hue of style.css stands for. */
  const meanings: Record<string, string> = {
    accent: 'what can be pressed',
    right: 'true',
    wrong: 'false',
    collapse: 'false',
    shortcut: 'the shortcut',
    thinking: 'thinking',
    likelier: 'pushed up',
    unlikelier: 'pushed down',
    'warm-rule': 'a notice',
    'line-2': 'a run among others',
    'line-4': 'a run among others',
  };

  it.each([
    ['light', 0],
    ['dark', 1],
  ])('has one meaning for each hue, in %s', (_scheme, index) => {
    const { text } = sheets.find(({ name }) => name === join('shell', 'style.css'))!;
    const hues = [...text.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);/g)]
      .map(([, name, ...colours]) => ({ name, ...hueOf(colours[index]) }))
      .filter(({ saturation }) => saturation > 0.25);
    const named = hues.filter(({ name }) => name in meanings);
    expect(named.map(({ name }) => name).sort()).toEqual(Object.keys(meanings).sort());
    for (const one of named) {
      for (const other of named) {
        const apart = Math.abs(((one.hue - other.hue + 540) % 360) - 180);
        if (meanings[one.name] !== meanings[other.name]) {
          expect([one.name, other.name, apart > 8]).toEqual([one.name, other.name, true]);
        }
      }
    }
  });
});

/** Degrees on the wheel, and how far from grey (0 to 1), as HSV has them. */
function hueOf(colour: string): { hue: number; saturation: number } {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
  const most = Math.max(red, green, blue);
  const spread = most - Math.min(red, green, blue);
  if (spread === 0) return { hue: 0, saturation: 0 };
  const sixth =
    most === red
      ? (green - blue) / spread
      : most === green
        ? 2 + (blue - red) / spread
        : 4 + (red - green) / spread;
  return { hue: (60 * sixth + 360) % 360, saturation: spread / most };
}
