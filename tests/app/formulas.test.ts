import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chartedMetrics } from '../../src/app/charted-metrics';
import formulas from '../../src/app/formulas/formulas.json';
import { algorithms } from '../../src/run/algorithm';

describe('the formulas of the page', () => {
  it('stand for every algorithm and every metric that is drawn', () => {
    expect(Object.keys(formulas).sort()).toEqual([...Object.keys(algorithms), ...chartedMetrics].sort());
  });

  it.each(Object.entries(formulas))('name one line that there is: %s', (_, { file, line }) => {
    const lines = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8').split('\n');
    expect(lines.filter((text) => text.includes(line))).toHaveLength(1);
  });
});
