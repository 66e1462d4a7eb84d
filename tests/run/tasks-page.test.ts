import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { presets } from '../../src/reward/presets';
import { generatorNames } from '../../src/tom/generate';

/** The cells of the page's table rows; names in a first cell stand in backticks. */
const rows = readFileSync('docs/tasks.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim()));
const cellAfter = (name: string): string | undefined =>
  rows.find(([, first]) => first.split(', ').includes(`\`${name}\``))?.[2];

it.each(generatorNames())('docs/tasks.md has a row for the generator $name, with its orders', (generator) => {
  const orders = [...generator.orders];
  expect(cellAfter(generator.name)).toBe(`${orders[0]}-${orders.at(-1)}`);
});

it.each(Object.keys(presets))('docs/tasks.md has a row for the reward preset %s', (preset) => {
  expect(cellAfter(preset)).toBeTruthy();
});
