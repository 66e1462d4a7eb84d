import { expect, it } from 'vitest';
import { curve } from '../../../src/app/report/paper-figures';
import type { Evaluation } from '../../../src/run/record/evaluation';

const lookAt = (step: number, meanThinkLength: number): Evaluation =>
  ({ report: { step, meanThinkLength } }) as Evaluation;

it('the curve of an arm is the mean of those of its runs that were asked at a step', () => {
  const runs = [
    { evals: [lookAt(0, 20), lookAt(60, 4)] },
    { evals: [lookAt(0, 10), lookAt(30, 7), lookAt(60, 0)] },
  ];
  expect(curve(runs, (report) => report.meanThinkLength)).toEqual([
    [0, 15],
    [30, 7],
    [60, 2],
  ]);
});
