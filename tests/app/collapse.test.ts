import { describe, expect, it } from 'vitest';
import { collapseWords } from '../../src/app/collapse';

const collapse = {
  step: 110,
  lengthRatio: 0.37,
  accuracyChange: 0.04,
  validityRatio: 0.42,
  conditions: { shorter: true, notLessAccurate: true, lessValid: true },
  collapsed: true,
};

describe('the words of a collapse', () => {
  it('name the three changes with their signs', () => {
    expect(collapseWords(collapse)).toEqual([
      'collapse at step 110',
      'thinking −63 %',
      'accuracy +4 points',
      'true statements −58 %',
    ]);
  });

  it('show a change of one question of the set, and give no sign to none', () => {
    expect(collapseWords({ ...collapse, accuracyChange: -0.005 })[2]).toBe('accuracy −0.5 points');
    expect(collapseWords({ ...collapse, accuracyChange: 0 })[2]).toBe('accuracy ±0 points');
    expect(collapseWords({ ...collapse, lengthRatio: 0.99999 })[1]).toBe('thinking ±0 %');
  });
});
