import { describe, expect, it } from 'vitest';
import { endingMark, endingWords } from '../../src/app/ending-words';
import type { Evaluation } from '../../src/run/evaluation';
import { evalReport, verdict } from '../run/verdicts';

const at = (step: number, changes: Parameters<typeof verdict>[0] = {}): Evaluation => ({
  report: evalReport({ step }),
  verdict: verdict({ step, provisional: true, ...changes }),
});
const start: Evaluation = { report: evalReport() };

describe('the mark on the length curve', () => {
  it('stands where two looks in a row first agree, with the changes and that it is provisional', () => {
    const collapsed = { ending: 'collapsed' as const };
    const looks = [start, at(10), at(20, collapsed), at(30, collapsed), at(40, collapsed)];
    expect(endingMark(looks)).toEqual({
      step: 30,
      lines: [
        'collapsed at step 30, provisional',
        'thinking 21 % of its length',
        'accuracy on beliefs +20.0 points',
        "faithful traces 20 % of the start's",
      ],
    });
    expect(endingMark(looks.slice(0, 3))).toBe(null);
    const last = at(50, { ...collapsed, provisional: false });
    expect(endingMark([...looks, last])?.lines[0]).toBe('collapsed at step 30');
  });

  it('is for losses alone, and not for runs of the older rule', () => {
    expect(endingMark([start, at(10, { ending: 'reasons better', provisional: false })])).toBe(null);
    expect(endingMark([start, at(10, { ending: 'decorated', provisional: false })])?.step).toBe(10);
    expect(endingMark([{ ...start, collapse: { collapsed: true } }])).toBe(null);
  });
});

describe('the words of an ending', () => {
  it('say since when it stands, and what is provisional', () => {
    expect(endingWords({ ending: 'collapsed', since: 30, provisional: true })).toBe(
      'collapsed at step 30 (provisional)',
    );
    expect(endingWords({ ending: 'undetermined', since: null, provisional: false })).toBe('undetermined');
  });
});
