import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { reportSchema } from '../../../src/run/record/evaluation';
import {
  addEvent,
  emptyHistory,
  growingHistory,
  historyOf,
  recordAfter,
  type History,
} from '../../../src/run/record/history';
import { lengthRatio, summarise } from '../../../src/run/record/summary';
import { compareArms } from '../../../src/run/sweep/compare-arms';
import type { Ending } from '../../../src/run/verdict/ending';
import { newRunRecord } from '../../../src/run/record/new-run';
import { sweepCsv } from '../../../src/share/csv';
import { eventsOf, lastCheckpoint, ofType, recordsOf, smallConfig, warmTable } from '../../rl/runs';
import { evalReport, verdict } from '../verdict/verdicts';
import { measuredAccuracy, wilson, type Accuracy } from '../../../src/reward/accuracy';

const config = smallConfig({ checkpointEvery: 4 });
const events = await eventsOf(await warmTable(), config);
const saved = ofType(events, 'checkpoint').find(({ checkpoint }) => checkpoint.step === 4)!;
const whole = historyOf(events);

describe('the history of a run', () => {
  it('holds every step, evaluation and alert of a resumed run once', async () => {
    const resume = saved.checkpoint;
    const again = await eventsOf(await warmTable(), config, { resume });
    const history = historyOf([...events, ...again]);
    expect(recordsOf(history.steps.map((record) => ({ type: 'step', record })))).toEqual(recordsOf(events));
    expect(history.evals.map(({ report }) => report.step)).toEqual([0, 3, 6]);
    expect(history.evals.map(({ verdict: judged }) => judged?.provisional)).toEqual([undefined, true, false]);
    expect(history.alerts).toEqual(ofType(events, 'alert').map(({ alert }) => alert));
    expect(lastCheckpoint(again).step).toBe(6);
    const words = { severity: 'warning', cause: 'It jumped.', nextStep: 'Wait.' } as const;
    const jump = (step: number) =>
      ({ type: 'alert', alert: { step, code: 'rl/kl-spike', ...words } }) as const;
    const { alerts } = historyOf([jump(2), jump(2), jump(3)]);
    expect(alerts.map(({ step }) => step)).toEqual([2, 3]);
    const report = evalReport();
    expect(summarise({ ...emptyHistory, alerts, evals: [{ report }] })!.alerts).toEqual(['rl/kl-spike']);
  });

  it('grows in place, and leaves alone what it was copied from', () => {
    const kept: History = { ...emptyHistory, steps: [{ step: 1 }, { step: 2 }] };
    const history = growingHistory(kept);
    const { steps } = history;
    addEvent(history, { type: 'step', record: { step: 3 } });
    addEvent(history, { type: 'step', record: { step: 2, reward: 1 } });
    expect(history.steps).toBe(steps);
    expect(steps).toEqual([{ step: 1 }, { step: 2, reward: 1 }]);
    expect(kept.steps).toEqual([{ step: 1 }, { step: 2 }]);
  });

  it('leaves in the record how far the run is and how it ended', async () => {
    const nowhere = smallConfig({ data: { ...smallConfig().data, source: 'nowhere' } });
    const begun = newRunRecord(nowhere, 'small', {});
    const failed = (await eventsOf(await warmTable(), nowhere)).reduce(recordAfter, begun);
    expect(failed).toMatchObject({ status: 'failed', step: 0, checkpointStep: null });
    expect(failed.failure).toContain('nowhere');
    expect(events.reduce(recordAfter, begun)).toMatchObject({ status: 'done', step: 6, checkpointStep: 6 });
    expect(recordAfter(begun, saved)).toMatchObject({ checkpointStep: 4 });
    const resumed = recordAfter(failed, { type: 'step', record: { step: 1 } });
    expect(resumed).toEqual({ ...begun, status: 'running', step: 1 });
    expect(recordAfter(failed, { type: 'done', step: 6 })).toEqual({ ...begun, status: 'done' });
    expect(summarise(emptyHistory)).toBe(null);
  });

  it('sums up from step 0 to the last evaluation', () => {
    const [start, , end] = whole.evals.map(({ report }) => report);
    const accuracyOf = (of: (report: typeof start) => Accuracy) => ({
      from: measuredAccuracy(of(start)),
      to: measuredAccuracy(of(end)),
    });
    expect(summarise(whole)).toMatchObject({
      steps: 6,
      accuracy: accuracyOf(({ overall }) => overall),
      responseLength: { from: start.meanLength, to: end.meanLength },
      heldOut: { 'order 4': accuracyOf(({ heldOut }) => heldOut['order 4']) },
    });
    expect(lengthRatio({ thinkLength: { from: 20, to: 15 } })).toBe(0.75);
    for (const thinkLength of [null, { from: 0, to: 15 }]) expect(lengthRatio({ thinkLength })).toBeNaN();
  });

  it('has at the start the figures of all questions, however few the last evaluation asked', () => {
    const end = { report: evalReport({ step: 1, faithful: 0.2, faithfulWrong: 0.1 }), verdict: verdict() };
    const summary = summarise({ ...emptyHistory, evals: [{ report: evalReport() }, end] })!;
    // The verdict compares the questions that both evaluations asked.
    expect(end.verdict.faithful!.before).toBe(0.5);
    expect(summary.faithful).toEqual({ from: 0.4, to: 0.2 });
    expect(summary.faithfulHard).toEqual({ from: 0.3, to: 0.1 });
    // No change of a figure that one of them lacks.
    const noHard = { report: evalReport({ step: 1, shortcutWrong: wilson(0, 0) }) };
    expect(summarise({ ...emptyHistory, evals: [{ report: evalReport() }, noHard] })!.hard).toBe(null);
  });

  it('says how a run ended, in its arm and in its row of a sweep as well', () => {
    const [start, look, last] = whole.evals;
    const ending = (atLook: Ending, atLast: Ending): History => ({
      ...whole,
      evals: [
        start,
        { ...look, verdict: verdict({ step: 3, provisional: true, ending: atLook }) },
        { ...last, verdict: verdict({ step: 6, ending: atLast, missing: ['more'] }) },
      ],
    });
    const arms = [
      ending('too close to call', 'thinks better'),
      ending('stops thinking', 'stops thinking'),
      ending('stops thinking', 'too close to call'),
    ];
    const summaries = arms.map((history) => summarise(history)!);
    const shared = { step: 6, provisional: false, silent: false, kept: null, missing: ['more'] };
    expect(summaries.map((summary) => summary.verdict)).toEqual([
      { ...shared, ending: 'thinks better', since: 6 },
      // One look alone is not shown.
      { ...shared, ending: 'stops thinking', since: 6 },
      { ...shared, ending: 'too close to call', since: null },
    ]);

    const runs = arms.map(() => ({ arm: 'grpo', config }));
    expect(compareArms(runs, arms)[0]).toMatchObject({
      runs: 3,
      endings: { 'thinks better': 1, 'stops thinking': 1, 'keeps thinking': 0, 'too close to call': 1 },
    });

    const rows = summaries.map((summary) => ({ arm: 'grpo', config, id: null, status: 'done', summary }));
    const [head, ...lines] = sweepCsv(rows)
      .split('\r\n')
      .map((line) => line.split(','));
    const cells = (name: string) => lines.slice(0, 3).map((line) => line[head.indexOf(name)]);
    expect(cells('verdict/ending')).toEqual(['thinks better', 'stops thinking', 'too close to call']);
    expect(cells('verdict/since')).toEqual(['6', '6', '']);
    const [{ seconds, heldOut, shortcutLine, alerts }] = summaries;
    const names = ['start', 'seconds', 'heldOut/order 4/to', 'shortcutLine', 'alerts'];
    expect(names.map((name) => cells(name)[0])).toEqual(
      [0, seconds, heldOut['order 4'].to, shortcutLine, alerts.join(' ')].map(String),
    );
  });
});

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
