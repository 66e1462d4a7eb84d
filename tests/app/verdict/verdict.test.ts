import { expect, it } from 'vitest';
import { endingSentence, endingWords } from '../../../src/app/words/ending-words';
import { measuredOf, neededConditions } from '../../../src/app/verdict/verdict-panel';
import { standingOf, type Ending } from '../../../src/run/verdict/ending';
import type { Evaluation } from '../../../src/run/record/evaluation';
import { evalReport, verdict } from '../../run/verdict/verdicts';

const at = (step: number, changes: Parameters<typeof verdict>[0] = {}): Evaluation => ({
  report: evalReport({ step }),
  verdict: verdict({ step, provisional: true, ...changes }),
});
const start: Evaluation = { report: evalReport() };

const said = { since: 30, step: 40, provisional: false, silent: false, kept: null };

it('the words of an ending name the test since which it holds, the ending so far, and silence that it does not imply', () => {
  expect(endingWords({ ...said, ending: 'stops thinking', provisional: true, silent: true })).toBe(
    'stops thinking (since the test at step 30, so far)',
  );
  // as of a result code, which holds the last test alone
  expect(endingWords({ ...said, ending: 'stops thinking', step: 30 })).toBe('stops thinking');
  const open = { ...said, ending: 'too close to call' as const, since: null };
  expect(endingWords(open)).toBe('too close to call');
  expect(endingWords({ ...open, silent: true })).toBe('too close to call (fell silent)');
  expect(endingSentence(open)).toBe('It is too close to call');
  expect(endingSentence({ ...open, ending: 'stops thinking', silent: true })).toBe('It stops thinking');
  expect(endingSentence({ ...open, silent: true })).toBe('It is too close to call (fell silent)');
});

it('a run that keeps thinking says how much of it, with its interval', () => {
  const { faithfulWrong } = verdict();
  const ratio = { value: 0.73, low: 0.64, high: 0.83 };
  const changes = { step: 60, provisional: false, faithfulWrong: { ...faithfulWrong!, ratio } };
  const standing = (ending: Ending) => standingOf([start, at(60, { ...changes, ending })])!;
  const keeps = standing('keeps thinking');
  expect(endingWords(keeps)).toBe('keeps thinking (73 % of it, 64 to 83 %)');
  expect(endingSentence({ ...keeps, silent: true })).toBe(
    'It keeps thinking (73 % of it, 64 to 83 %, fell silent)',
  );
  const more = { ...keeps, kept: { value: 1.04, low: 0.98, high: 1.1 } };
  expect(endingWords(more)).toBe('keeps thinking (all of it, 98 to 110 %)');
  expect(endingWords(standing('thinks less'))).toBe('thinks less');
});

it('every condition of a verdict is shown, undecided where there are too few questions to tell', () => {
  const shown = neededConditions.map(([condition]) => condition);
  expect([...shown].sort()).toEqual(Object.keys(verdict().conditions).sort());
  const few = { ...verdict().wrong!, count: 22 };
  const words = 'not told by 22 questions: 30 are needed';
  expect(measuredOf('wrongHalved', verdict({ wrong: few }))).toBe(words);
  expect(measuredOf('wrongHalved', verdict())).toBe('no');
  expect(measuredOf('silent', verdict({ wrong: few }))).toBe('no');
  expect(measuredOf('silent', verdict({ conditions: { silent: true } }))).toBe('yes');
  expect(measuredOf('aboveChance', verdict({ conditions: { aboveChance: null } }))).toContain('left out');
});
