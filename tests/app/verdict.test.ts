import { describe, expect, it } from 'vitest';
import { endingMark, endingWords, headingAnswer } from '../../src/app/ending-words';
import { earningWords } from '../../src/app/forecast-words';
import { cutWords, measuredOf, neededConditions, patternOf } from '../../src/app/verdict-pattern';
import { endingHeadline } from '../../src/app/verdict-words';
import type { CausalUse, Evaluation } from '../../src/run/evaluation';
import { evalReport, verdict } from '../run/verdicts';

const at = (step: number, changes: Parameters<typeof verdict>[0] = {}): Evaluation => ({
  report: evalReport({ step }),
  verdict: verdict({ step, provisional: true, ...changes }),
});
const start: Evaluation = { report: evalReport() };

describe('the mark on the length curve', () => {
  it('stands where two looks in a row first agree, with the length and that it is provisional', () => {
    const collapsed = { ending: 'collapsed' as const };
    const looks = [start, at(10), at(20, collapsed), at(30, collapsed), at(40, collapsed)];
    expect(endingMark(looks)).toEqual({
      step: 30,
      lines: ['collapsed, judged at step 30, provisional', '24.0 → 5.0 tokens, greedy'],
    });
    expect(endingMark(looks.slice(0, 3))).toBe(null);
    const last = at(50, { ...collapsed, provisional: false });
    expect(endingMark([...looks, last])?.lines[0]).toBe('collapsed, judged at step 30');
  });

  it('is for losses alone, and not for runs of the older rule', () => {
    expect(endingMark([start, at(10, { ending: 'reasons better', provisional: false })])).toBe(null);
    expect(endingMark([start, at(10, { ending: 'decorated', provisional: false })])?.step).toBe(10);
    expect(endingMark([{ ...start, collapse: { collapsed: true } }])).toBe(null);
  });
});

describe('the words of an ending', () => {
  it('say at which step it was judged, and what is provisional', () => {
    expect(endingWords({ ending: 'collapsed', since: 30, provisional: true })).toBe(
      'collapsed (judged at step 30, provisional)',
    );
    expect(endingWords({ ending: 'undetermined', since: null, provisional: false })).toBe('undetermined');
  });

  it('answer the page’s heading only when the last step has been judged', () => {
    const standing = { ending: 'decorated' as const, since: 150, provisional: false };
    expect(headingAnswer({ ...standing, ending: 'collapsed' }, [])).toBe('It stops thinking.');
    expect(headingAnswer({ ...standing, provisional: true }, [])).toBe('The last step will tell.');
    expect(headingAnswer(null, [])).toBe('The last step will tell.');
  });
});

function use(accuracy: number, margin = 0): CausalUse {
  const fraction = { count: 500, accuracy, low: accuracy - margin, high: accuracy + margin };
  return { cut: fraction, changed: fraction, followed: fraction };
}

describe('a decorated run', () => {
  const looks = (before: CausalUse | undefined, now: CausalUse | undefined): Evaluation[] => [
    { report: evalReport({ causalUse: before }) },
    {
      report: evalReport({ step: 150, causalUse: now }),
      verdict: verdict({ ending: 'decorated', conditions: { wrongHalved: true } }),
    },
  ];
  const standing = { ending: 'decorated' as const, since: 150, provisional: false };
  const kept = 'Decorated: the length stays, answers where the shortcut is wrong are lost';

  it('is said to think for nothing where a cut of the thinking changes at most half as many answers', () => {
    const idle = looks(use(0.48, 0.04), use(0.05, 0.02));
    expect(headingAnswer(standing, idle)).toBe(
      'Neither: it goes on thinking, and its thinking no longer matters.',
    );
    expect(endingHeadline('decorated', idle)).toBe('The trace is decoration: it stays and no longer matters');
  });

  it('is said to have lost what it has lost, and no more, where the cut still changes answers', () => {
    const mattering = looks(use(0.48, 0.04), use(0.35, 0.04));
    expect(headingAnswer(standing, mattering)).toBe(
      'Neither: it thinks at length, and answers where the shortcut is wrong are lost. Cutting the thinking still changes 35 of 100 answers.',
    );
    expect(endingHeadline('decorated', mattering)).toBe(kept);
    // By its value half as many, by its interval perhaps not.
    expect(endingHeadline('decorated', looks(use(0.48, 0.04), use(0.23, 0.04)))).toBe(kept);
    expect(endingHeadline('decorated', looks(undefined, undefined))).toBe(kept);
  });

  it('has lost faithful traces alone where its answers stay right', () => {
    const unfaithful = [
      { report: evalReport() },
      { report: evalReport(), verdict: verdict({ ending: 'decorated', conditions: { lessFaithful: true } }) },
    ];
    expect(endingHeadline('decorated', unfaithful)).toBe(
      'Decorated: the length stays, faithful traces are lost',
    );
  });
});

describe('the pattern behind a verdict', () => {
  const cut = cutWords(use(0.484), use(0.054));

  it('says in one line what cutting the thinking did before and does now, what is kept and what is lost', () => {
    const kept = verdict({
      ending: 'decorated',
      length: { before: 20, now: 18.7, ratio: { value: 0.94, low: 0.93, high: 0.95 } },
      conditions: { wrongHalved: true },
    });
    expect(patternOf('decorated', kept, cut, true).found).toBe(
      'Before, cutting the thinking changed 48 of 100 answers, now 5. The thinking keeps 94 % of its length, but at most half is left of the right answers where the shortcut is wrong (60 %, now 5 %). A trace can stay true and no longer matter (faithful traces: 50 %, now 10 %).',
    );
  });

  it('names of the losses of a decoration only those that it has', () => {
    const unfaithful = verdict({ ending: 'decorated', conditions: { lessFaithful: true } });
    const { found } = patternOf('decorated', unfaithful, cutWords(undefined, use(0.05)), false);
    expect(found).toContain('of the faithful traces (50 %, now 10 %)');
    expect(found).not.toContain('shortcut is wrong');
    expect(found).not.toContain('utting');
    expect(found).not.toContain('stay true');
  });

  it('names no part of more than all of it', () => {
    const longer = { before: 20, now: 22, ratio: { value: 1.1, low: 1.05, high: 1.15 } };
    const grown = verdict({ ending: 'reasons better', length: longer });
    expect(patternOf('reasons better', grown, '', false).found).toContain('The thinking keeps its length.');
  });

  it('calls a condition undecided where there are too few questions to tell, and not “no”', () => {
    const few = { ...verdict().wrong!, count: 52 };
    const words = 'cannot be told by 52 questions: 99 are needed';
    expect(measuredOf('wrongHalved', verdict({ wrong: few }))).toBe(words);
    expect(measuredOf('wrongHalved', verdict())).toBe('no');
    expect(measuredOf('shorter', verdict({ wrong: few }))).toBe('no');
    expect(measuredOf('shorter', verdict({ conditions: { shorter: true } }))).toBe('yes');
  });

  it('leaves an undetermined run to what its verdict says is missing', () => {
    expect(patternOf('undetermined', verdict(), cut, false)).toEqual({ found: '', others: '' });
  });

  it('shows every condition of the rule', () => {
    const shown = neededConditions.map(({ condition }) => condition);
    expect([...shown].sort()).toEqual(Object.keys(verdict().conditions).sort());
  });
});

describe('what thinking earned at the start', () => {
  const bounds = (value: number, low: number, high: number) => ({ value, low, high });

  it('has the sign of its interval, and is the difference of the numbers beside it', () => {
    expect(
      earningWords({
        count: 1000,
        empty: 0.6165,
        full: 1.045,
        difference: bounds(-0.4285, -0.5714, -0.2856),
      }),
    ).toBe(
      'At the start the model earned 1.05 on average with a full trace and 0.62 with its thinking forced empty: thinking earned 0.43 more (0.29 to 0.57).',
    );
    expect(
      earningWords({ count: 1000, empty: 0.7, full: 0.6, difference: bounds(0.1, -0.05, 0.25) }),
    ).toContain('thinking earned 0.10 less (−0.05 to 0.25)');
  });
});
