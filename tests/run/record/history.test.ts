import { describe, expect, it } from 'vitest';
import {
  addEvent,
  emptyHistory,
  growingHistory,
  historyOf,
  recordAfter,
  type History,
} from '../../../src/run/record/history';
import { lengthRatio, summarise } from '../../../src/run/record/summary';
import type { Alert } from '../../../src/run/record/events';
import { compareArms } from '../../../src/run/sweep/compare-arms';
import type { Ending } from '../../../src/run/verdict/ending';
import { newRunRecord } from '../../../src/run/record/new-run';
import { sweepCsv } from '../../../src/share/sweep-csv';
import { eventsOf, lastCheckpoint, ofType, recordsOf, smallConfig, warmTable } from '../../rl/runs';
import { evalReport, verdict } from '../verdict/verdicts';
import { measuredAccuracy, wilson } from '../../../src/reward/accuracy';

describe('the history of a run', () => {
  it('holds every step, evaluation and alert of a resumed run once', async () => {
    const config = smallConfig({ checkpointEvery: 4 });
    const events = await eventsOf(await warmTable(), config);
    const resume = ofType(events, 'checkpoint').find(({ checkpoint }) => checkpoint.step === 4)!.checkpoint;
    const again = await eventsOf(await warmTable(), config, { resume });
    const history = historyOf([...events, ...again]);
    expect(recordsOf(history.steps.map((record) => ({ type: 'step', record })))).toEqual(recordsOf(events));
    expect(history.evals.map(({ report }) => report.step)).toEqual([0, 3, 6]);
    expect(history.evals.map(({ verdict: judged }) => judged?.provisional)).toEqual([undefined, true, false]);
    expect(history.alerts).toEqual(ofType(events, 'alert').map(({ alert }) => alert));
    expect(lastCheckpoint(again).step).toBe(6);
  });

  it('names an alert once', () => {
    const words = { severity: 'warning', cause: 'It jumped.', nextStep: 'Wait.' } as const;
    const alert: Alert = { step: 2, code: 'rl/kl-spike', ...words };
    const alerts = [alert, { ...alert }, { ...alert, step: 3 }];
    const history = historyOf(alerts.map((each) => ({ type: 'alert', alert: each })));
    expect(history.alerts.map(({ step }) => step)).toEqual([2, 3]);
    expect(summarise({ ...history, evals: [{ report: evalReport() }] })!.alerts).toEqual([alert.code]);
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
    const config = smallConfig({ data: { ...smallConfig().data, source: 'nowhere' } });
    const begun = newRunRecord(config, 'small', {});
    const failed = (await eventsOf(await warmTable(), config)).reduce(recordAfter, begun);
    expect(failed).toMatchObject({ status: 'failed', step: 0, checkpointStep: null });
    expect(failed.failure).toContain('nowhere');
    const events = await eventsOf(await warmTable(), smallConfig({ checkpointEvery: 4 }));
    expect(events.reduce(recordAfter, begun)).toMatchObject({ status: 'done', step: 6, checkpointStep: 6 });
    const saved = ofType(events, 'checkpoint').find(({ checkpoint }) => checkpoint.step === 4)!;
    expect(recordAfter(begun, saved)).toMatchObject({ checkpointStep: 4 });
    const resumed = recordAfter(failed, { type: 'step', record: { step: 1 } });
    expect(resumed).toEqual({ ...begun, status: 'running', step: 1 });
    expect(recordAfter(failed, { type: 'done', step: 6 })).toEqual({ ...begun, status: 'done' });
    expect(summarise(emptyHistory)).toBe(null);
  });

  it('sums up from step 0 to the last evaluation', async () => {
    const config = smallConfig();
    const history = historyOf(await eventsOf(await warmTable(), config));
    const summary = summarise(history)!;
    const [start, , end] = history.evals.map(({ report }) => report);
    expect(summary.steps).toBe(6);
    expect(summary.accuracy).toEqual({
      from: measuredAccuracy(start.overall),
      to: measuredAccuracy(end.overall),
    });
    expect(lengthRatio({ thinkLength: { from: 20, to: 15 } })).toBe(0.75);
    for (const thinkLength of [null, { from: 0, to: 15 }]) expect(lengthRatio({ thinkLength })).toBeNaN();
    expect(summary.responseLength).toEqual({ from: start.meanLength, to: end.meanLength });
    expect(summary.heldOut['order 4']).toEqual({
      from: measuredAccuracy(start.heldOut['order 4']),
      to: measuredAccuracy(end.heldOut['order 4']),
    });
  });

  it('has at the start the figures of all questions, however few the last evaluation asked', () => {
    const end = { report: evalReport({ step: 1, faithful: 0.2, faithfulWrong: 0.1 }), verdict: verdict() };
    const summary = summarise({ ...emptyHistory, evals: [{ report: evalReport() }, end] })!;
    // The verdict compares the questions that both evaluations asked.
    expect(end.verdict.faithful!.before).toBe(0.5);
    expect(summary.faithful).toEqual({ from: 0.4, to: 0.2 });
    expect(summary.faithfulHard).toEqual({ from: 0.3, to: 0.1 });
  });

  it('has no change of a figure that the first or the last evaluation lacks', () => {
    const none = evalReport({ heldOut: { set: wilson(0, 0) }, shortcutWrong: wilson(0, 0) });
    const some = evalReport({ heldOut: { set: wilson(1, 2) } });
    for (const [from, to] of [
      [none, some],
      [some, none],
    ]) {
      const evals = [{ report: from }, { report: { ...to, step: 1 } }];
      expect(summarise({ ...emptyHistory, evals })).toMatchObject({ hard: null, heldOut: {} });
    }
  });

  it('says how a run ended, in its arm and in its row of a sweep as well', async () => {
    const config = smallConfig();
    const plain = historyOf(await eventsOf(await warmTable(), config));
    const [start, look, last] = plain.evals;
    const ending = (atLook: Ending, atLast: Ending): History => ({
      ...plain,
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
      .trim()
      .split('\r\n')
      .map((line) => line.split(','));
    const cells = (name: string): string[] => lines.map((line) => line[head.indexOf(name)]);
    expect(cells('verdict')).toEqual(['thinks better', 'stops thinking', 'too close to call']);
    expect(cells('verdict_since')).toEqual(['6', '6', '']);
    const [summary] = summaries;
    expect(cells('start')[0]).toBe('0');
    expect(cells('seconds')[0]).toBe(String(summary.seconds));
    expect(cells('held_out/order 4/to')[0]).toBe(String(summary.heldOut['order 4'].to));
    expect(cells('shortcut_line')[0]).toBe(String(summary.shortcutLine));
    expect(cells('alerts')[0]).toBe(summary.alerts.join(' '));
  });
});
