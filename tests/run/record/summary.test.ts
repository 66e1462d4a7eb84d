/** Figures of questions that no evaluation of a run asked, such as hard ones of data without a shortcut. */
import { expect, it } from 'vitest';
import { SummaryTable } from '../../../src/app/report/report-tables';
import { modelCard } from '../../../src/export/model-card';
import { wilson } from '../../../src/reward/accuracy';
import { presets } from '../../../src/run/config/presets';
import { emptyHistory } from '../../../src/run/record/history';
import { summarise } from '../../../src/run/record/summary';
import { compareArms } from '../../../src/run/sweep/compare-arms';
import { sweepCsv } from '../../../src/share/sweep-csv';
import { evalReport } from '../verdict/verdicts';

const config = presets['ladder-25k'];
const none = { shortcutRight: wilson(0, 0), shortcutWrong: wilson(0, 0) };

async function textsOf(changes: typeof none | object): Promise<string> {
  const evals = [0, 5].map((step) => ({ report: evalReport({ step, ...changes }) }));
  const history = { ...emptyHistory, evals };
  const summary = summarise(history)!;
  const rows = [{ arm: '', config, id: 'x', status: 'done' as const, summary }];
  const arms = compareArms([{ arm: '', config }], [history]);
  return [
    await modelCard(config, 5, summary),
    sweepCsv(rows),
    JSON.stringify([arms, SummaryTable({ summary })]),
  ].join('\n');
}

it('a summary has figures of easy and hard questions', async () => {
  const texts = await textsOf({});
  for (const text of [
    'right on hard questions | 40.0 %',
    'shortcut_wrong/to',
    '"hard":{',
    '"hard questions"',
  ])
    expect(texts).toContain(text);
});

it('a summary has no figure of questions that were not asked', async () => {
  const texts = await textsOf(none);
  for (const text of [
    'right on hard',
    'right on easy',
    'shortcut_wrong',
    'shortcut_right',
    '"hard questions"',
  ])
    expect(texts).not.toContain(text);
  expect(texts).toContain('"hard":null');
});
