import * as v from 'valibot';
import { expect, it } from 'vitest';
import { reportSchema } from '../../../src/run/record/evaluation';
import { evalReport } from '../verdict/verdicts';

it.each([
  ['above 1', { accuracy: 2.5 }],
  ['below 0', { accuracy: -1 }],
  ['with an interval beyond 1', { high: 5.5 }],
  ['with an interval upside down', { low: 0.9, high: 0.1 }],
])('a stranger’s accuracy %s is refused', (_, change) => {
  const report = evalReport();
  expect(v.safeParse(reportSchema, report).success).toBe(true);
  const changed = { ...report, overall: { ...report.overall, ...change } };
  expect(v.safeParse(reportSchema, changed).success).toBe(false);
});
