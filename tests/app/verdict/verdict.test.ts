import { expect, it } from 'vitest';
import { endingSentence, endingWords } from '../../../src/app/words/ending-words';
import { standingOf, type Ending } from '../../../src/run/verdict/ending';
import type { Evaluation } from '../../../src/run/record/evaluation';
import { evalReport, verdict } from '../../run/verdict/verdicts';

it('a run that keeps thinking says how much of it, with its interval', () => {
  const { faithfulWrong } = verdict();
  const ratio = { value: 0.73, low: 0.64, high: 0.83 };
  const changes = { step: 60, provisional: false, faithfulWrong: { ...faithfulWrong!, ratio } };
  const standing = (ending: Ending) => {
    const last: Evaluation = {
      report: evalReport({ step: 60 }),
      verdict: verdict({ ...changes, ending }),
    };
    return standingOf([{ report: evalReport() }, last])!;
  };
  const keeps = standing('keeps thinking');
  expect(endingWords(keeps)).toBe('keeps thinking (73 % of it, 64 to 83 %)');
  expect(endingSentence({ ...keeps, silent: true })).toBe(
    'It keeps thinking (73 % of it, 64 to 83 %, fell silent)',
  );
  const more = { ...keeps, kept: { value: 1.04, low: 0.98, high: 1.1 } };
  expect(endingWords(more)).toBe('keeps thinking (all of it, 98 to 110 %)');
  expect(endingWords(standing('thinks less'))).toBe('thinks less');
});
