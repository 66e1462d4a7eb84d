/** Figures of an evaluation without questions of belief, without any question, and of questions without a world. */
import { h } from 'preact';
import { expect, it } from 'vitest';
import { RunsTable } from '../../../src/app/runs/runs-table';
import { EvaluationTable } from '../../../src/app/verdict/evaluation-table';
import { VerdictPanel } from '../../../src/app/verdict/verdict-panel';
import { seenWords } from '../../../src/app/words/ending-words';
import { reportLines } from '../../../src/command/subcommands/evaluate-command';
import { showEvent } from '../../../src/command/progress';
import { modelCard } from '../../../src/export/model-card';
import { wilson } from '../../../src/reward/accuracy';
import { presets } from '../../../src/run/config/presets';
import type { EvalReport, Evaluation } from '../../../src/run/record/evaluation';
import { emptyHistory } from '../../../src/run/record/history';
import { measuredFigure } from '../../../src/run/verdict/measured';
import { newRunRecord } from '../../../src/run/record/new-run';
import { summarise } from '../../../src/run/record/summary';
import { toOutcomeTable, type ItemOutcome } from '../../../src/run/verdict/outcomes';
import { compareArms } from '../../../src/run/sweep/compare-arms';
import { verdictOf } from '../../../src/run/verdict/verdict';
import { sweepCsv } from '../../../src/share/csv';
import { drawn } from '../../fixtures/little-dom';
import { evalReport } from './verdicts';

const config = presets['ladder-12k'];
const none = wilson(0, 0);
const noShortcut = { shortcutRight: none, shortcutWrong: none, shortcutLine: 0 };
const of = (order: number, trace: ItemOutcome['trace']): ItemOutcome => ({
  ...{ order, trace, correct: true, easy: null, answers: null, thinkTokens: 20 },
});

/** A run whose two evaluations ask these questions. */
function runOf(items: readonly ItemOutcome[], changes: Partial<EvalReport>) {
  const reports = [0, 3].map((step) =>
    evalReport({ step, outcomes: toOutcomeTable([...items]), ...noShortcut, ...changes }),
  );
  const sampled = items.map(() => '1').join('');
  const verdict = verdictOf(items, items, { step: 3, provisional: false, sampled: [sampled, sampled] });
  const evals: Evaluation[] = [{ report: reports[0] }, { report: reports[1], verdict }];
  return { reports, evals, verdict, history: { ...emptyHistory, evals } };
}

async function textsOf({ evals, verdict, history, reports }: ReturnType<typeof runOf>) {
  const summary = summarise(history)!;
  const said: string[] = [];
  const terminal = { isLive: false, show: () => undefined, say: (line: string) => void said.push(line) };
  const soFar = { config, records: [], evaluated: 0, evaluating: 0 };
  showEvent(terminal, { type: 'eval', ...evals[1] }, soFar, { step: 1, ends: 1, look: 1 });
  const run = { ...history, record: newRunRecord(config, 'r', {}) };
  const page = drawn([
    h(EvaluationTable, { evaluations: evals }),
    h(VerdictPanel, { evaluations: evals, isInFull: true }),
    h(RunsTable, {
      rows: [{ name: 'r', config, history: run }],
      showsEndings: true,
    } as never),
  ]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const shown = page.text();
  page.close();
  const rows = [{ arm: '', config, id: 'x', status: 'done' as const, summary }];
  const arms = JSON.stringify(compareArms([{ arm: '', config }], [history]));
  const seen = seenWords(verdict);
  const command = [...said, ...reportLines({ report: reports[1], verdict })].join('\n');
  return { shown, seen, command, card: await modelCard(config, 3, summary), csv: sweepCsv(rows), arms }; // prettier-ignore
}

it('a run without a shortcut has no figures of easy and hard questions', async () => {
  const items = [of(1, 'faithful')];
  const shortcut = { shortcutRight: wilson(1, 2), shortcutWrong: wilson(1, 2) };
  for (const [changes, isMeasured] of [
    [shortcut, true],
    [{}, false],
  ] as const) {
    const { card, csv, arms } = await textsOf(runOf(items, changes));
    for (const words of ['right on hard', 'right on easy']) expect(card.includes(words)).toBe(isMeasured);
    for (const column of ['hard/', 'easy/']) expect(csv.includes(column)).toBe(isMeasured);
    expect(arms.includes('"hard":null')).toBe(!isMeasured);
  }
});

it('a set without questions of belief has no figure of them, on the page, in the command and in files', async () => {
  const items = Array.from({ length: 40 }, () => of(0, 'faithful'));
  const { shown, seen, command, card, csv } = await textsOf(
    runOf(items, { overall: wilson(40, 40), belief: none, factual: wilson(40, 40), meanThinkLength: 21.7 }),
  );
  expect(seen).toMatch(/^the test has 0 hard questions; the verdict needs 30$/);
  expect(seen).not.toMatch(/0 → 0/);
  expect(shown).not.toMatch(
    /0\.0 → 0\.0|×1\.00|0 → 0 %|The shortcut alone|the shortcut alone|correct reasoning, now/,
  );
  expect(shown).toContain('Silent: the thinking is at most half as longnot measured');
  expect(shown).toMatch(/tokens of thinking21\.721\.7/);
  expect(command).toMatch(/^evaluation at step 3: 100 % right \[91 %, 100 %\], length 26\.0, not measured$/m);
  expect(command).not.toMatch(/easy|hard|belief/);
  expect(card).toMatch(/right answers \| 100\.0 %/);
  expect(csv).toContain('thinkLength/to');
});

it('traces of other questions give no fraction of faithful ones', () => {
  const hard = { shortcutWrong: wilson(1, 40) };
  const figuresOf = (items: ItemOutcome[], changes: Partial<EvalReport>) => {
    const [report] = runOf(items, changes).reports;
    return ['faithful' as const, 'faithfulWrong' as const].map((name) => measuredFigure(report, name));
  };
  const factual = Array.from({ length: 40 }, () => ({ ...of(0, 'faithful'), easy: false }));
  expect(figuresOf(factual, { ...hard, belief: none })).toEqual([null, null]);
  const belief = { ...of(1, null), easy: false };
  expect(figuresOf([...factual, belief], hard)).toEqual([null, null]);
  expect(figuresOf([{ ...belief, trace: 'empty' }], hard)).toEqual([0.4, 0.3]);
  const apart = { ...hard, hard: toOutcomeTable([{ ...belief, trace: 'empty' }]) };
  expect(figuresOf([of(1, 'faithful')], hard)).toEqual([0.4, null]);
  expect(figuresOf([of(1, 'faithful')], apart)).toEqual([0.4, 0.3]);
  const wrong = { ...of(1, 'false'), correct: false };
  const [report] = runOf([wrong, of(1, null)], { overall: wilson(1, 2) }).reports;
  expect(measuredFigure(report, 'rightAnswerWrongTrace')).toBe(null);
});

it('questions without a world, or without thinking, have no figure of true statements', () => {
  const figureOf = (items: ItemOutcome[], changes: Partial<EvalReport> = {}) =>
    measuredFigure(runOf(items, changes).reports[0], 'traceValidity');
  expect([figureOf([of(1, 'faithful')]), figureOf([of(1, null)])]).toEqual([0.6, null]);
  expect(figureOf([of(1, 'empty')], { emptyThinkFraction: 1 })).toBe(null);
});

it('the additional hard questions alone give no score of the shortcut', () => {
  const hard = toOutcomeTable([{ ...of(1, 'faithful'), easy: false }]);
  const [report] = runOf([of(0, 'faithful')], { shortcutWrong: wilson(1, 1), hard }).reports;
  expect(measuredFigure(report, 'shortcutLine')).toBe(null);
  expect(measuredFigure({ ...report, shortcutRight: wilson(1, 1) }, 'shortcutLine')).toBe(0);
  expect(measuredFigure({ ...report, overall: wilson(0, 1) }, 'rightAnswerWrongTrace')).toBe(null);
});
