import { describe, expect, it } from 'vitest';
import { chartedMetrics } from '../../../src/app/charts/charted-metrics';
import formulas from '../../../src/app/words/formulas.json';
import { algorithms } from '../../../src/objective/algorithm';

describe('the formulas of the page', () => {
  it('stand for every algorithm and every metric that is drawn', () => {
    expect(Object.keys(formulas).sort()).toEqual([...Object.keys(algorithms), ...chartedMetrics].sort());
  });
});
