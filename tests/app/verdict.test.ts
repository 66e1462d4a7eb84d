import { describe, expect, it } from 'vitest';
import { endingMark, endingWords } from '../../src/app/ending-words';
import { neededConditions, patternOf } from '../../src/app/verdict-pattern';
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
        'collapsed since step 30, provisional',
        'thinking 21 % of its length, greedy',
        'accuracy on beliefs +20.0 points',
        "faithful traces 20 % of the start's",
      ],
    });
    expect(endingMark(looks.slice(0, 3))).toBe(null);
    const halved = { ending: 'decorated' as const, conditions: { wrongHalved: true } };
    expect(endingMark([start, at(10, halved), at(20, halved)])?.lines[3]).toBe(
      'shortcut wrong: right 8 % as often',
    );
    const last = at(50, { ...collapsed, provisional: false });
    expect(endingMark([...looks, last])?.lines[0]).toBe('collapsed since step 30');
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
      'collapsed since step 30 (provisional)',
    );
    expect(endingWords({ ending: 'undetermined', since: null, provisional: false })).toBe('undetermined');
  });
});

describe('the pattern behind a verdict', () => {
  const cut = { count: 500, accuracy: 0.05, low: 0.03, high: 0.08 };

  it('says in one line what was kept, what was lost, and what cutting the thinking does', () => {
    const kept = verdict({
      ending: 'decorated',
      length: { before: 20, now: 18.7, ratio: { value: 0.94, low: 0.93, high: 0.95 } },
      conditions: { wrongHalved: true },
    });
    expect(patternOf('decorated', kept, cut).found).toBe(
      'The thinking keeps 94 % of its length, but what it was for is lost by half or more (right where the shortcut is wrong: 60 %, now 5 %). Cutting the thinking changes 5 % of the answers.',
    );
  });

  it('names of the losses of a decoration only those that it has', () => {
    const unfaithful = verdict({ ending: 'decorated', conditions: { lessFaithful: true } });
    const { found } = patternOf('decorated', unfaithful, null);
    expect(found).toContain('(faithful traces: 50 %, now 10 %)');
    expect(found).not.toContain('shortcut is wrong');
    expect(found).not.toContain('Cutting');
  });

  it('leaves an undetermined run to what its verdict says is missing', () => {
    expect(patternOf('undetermined', verdict(), cut)).toEqual({ found: '', others: '' });
  });

  it('shows every condition of the rule', () => {
    const shown = neededConditions.map(({ condition }) => condition);
    expect([...shown].sort()).toEqual(Object.keys(verdict().conditions).sort());
  });
});
