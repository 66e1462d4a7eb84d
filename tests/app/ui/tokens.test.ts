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

/** Declarations of all style sheets whose property matches `names`, each with the name of its sheet. */
function declarations(names: RegExp): string[] {
  return sheets.flatMap(({ name, text }) =>
    [...text.matchAll(/(?<=[{;]\s*)([a-z\d-]+):\s*([^;{}]+);/g)]
      .filter(([, property]) => names.test(property))
      .map(([, property, value]) => `${name}: ${property}: ${value.trim()}`),
  );
}

describe('the look of the page', () => {
  it('has texts of three sizes and no others, but for paper', () => {
    expect(declarations(/^--text-/)).toHaveLength(3);
    const sizes = declarations(/^font-size$/).filter((line) => !/: (var\(--text-\w+\)|[\d.]+pt)$/.test(line));
    expect(sizes).toEqual([]);
    expect(declarations(/^font$/).filter((line) => /\d(rem|px)/.test(line))).toEqual([]);
  });

  it('has one colour for one idea: no two names mean the same, but a run laid over others is drawn as it is alone', () => {
    const colours = declarations(/^--(?!text|space)/)
      .filter((line) => line.includes('light-dark') && !/: --(line-\d|card|on-accent)/.test(line))
      .map((line) => line.replace(/^.*?: (--[\w-]+): /, ''));
    expect(colours.length).toBeGreaterThan(15);
    expect(new Set(colours).size).toBe(colours.length);
  });

  it('has all its spacing from one set', () => {
    const own = declarations(/^((row-|column-)?gap|(padding|margin)(-[a-z]+)*)$/).filter((line) =>
      /\d(rem|px)/.test(line.replace(/clamp\([^)]*\)/, '')),
    );
    expect(own).toEqual([]);
  });
});
