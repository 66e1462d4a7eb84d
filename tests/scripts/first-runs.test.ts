import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { firstRuns, page, withTable } from '../../scripts/first-runs';
import { watchWords } from '../../src/run/config/presets';

it('the docs have the table of all recorded first runs', () => {
  const text = readFileSync(page, 'utf8');
  expect(text).toBe(withTable(text));
  expect(text).toMatch(/\n\| `first-run-135m`, 1 \|/);
});

it('the preset says of its trials what their evaluations show', () => {
  const changes = firstRuns()
    .filter(({ preset }) => preset === 'first-run-135m')
    .map(({ looks }) => {
      const thinking = looks.map((row) => Math.round(Number(row['eval/meanThinkLength'])));
      const [before, after] = looks.map((row) => Number(row['eval/shortcut_right']));
      return { thinking: thinking.join(' to '), isEasyKept: after >= before };
    });
  expect(changes).toHaveLength(5);
  expect(changes.every(({ isEasyKept }) => isEasyKept)).toBe(true);
  expect(changes.filter(({ thinking }) => thinking === '92 to 9')).toHaveLength(4);
  expect(watchWords['first-run-135m']).toContain(
    'in four of five trials they fell from 92 to 9, and easy questions',
  );
});
