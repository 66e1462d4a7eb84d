import { describe, expect, it } from 'vitest';
import { addToReport, newReport, summarise, type RunReport } from '../../src/run/report';
import type { TrainerEvent } from '../../src/run/events';
import { compareArms } from '../../src/run/sweep';
import type { Ending } from '../../src/run/ending';
import { sweepCsv } from '../../src/share/sweep-csv';
import { eventsOf, lastCheckpoint, ofType, recordsOf, smallConfig, warmTable } from '../rl/runs';
import { verdict } from './verdicts';

const fold = (events: readonly TrainerEvent[], report: RunReport): RunReport =>
  events.reduce(addToReport, report);

describe('the run report', () => {
  it('holds configuration, machine, every step, every evaluation and both ends of the rollouts', async () => {
    const config = smallConfig();
    const events = await eventsOf(await warmTable(), config);
    const report = fold(events, newReport(config, { backend: 'table' }));
    expect(report).toMatchObject({ config, machine: { backend: 'table' }, outcome: 'done', failure: null });
    expect(report.steps).toEqual(ofType(events, 'step').map(({ record }) => record));
    expect(report.evaluations.map((evaluation) => evaluation.report.step)).toEqual([0, 3, 6]);
    expect(report.firstRollouts[0].step).toBe(1);
    expect(report.lastRollouts[0].step).toBe(6);
    expect(summarise(report)!.forecast).not.toBe(null);
    expect(report.evaluations.map((evaluation) => evaluation.verdict?.provisional)).toEqual([
      undefined,
      true,
      false,
    ]);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  it('does not count twice what a resumed run says again', async () => {
    const config = smallConfig({ checkpointEvery: 4 });
    const events = await eventsOf(await warmTable(), config);
    const resume = ofType(events, 'checkpoint').find(({ checkpoint }) => checkpoint.step === 4)!.checkpoint;
    const again = await eventsOf(await warmTable(), config, { resume });
    const report = fold([...events, ...again], newReport(config));
    expect(recordsOf(report.steps.map((record) => ({ type: 'step', record })))).toEqual(recordsOf(events));
    expect(report.evaluations.map((evaluation) => evaluation.report.step)).toEqual([0, 3, 6]);
    expect(lastCheckpoint(again).step).toBe(6);
  });

  it('says how a run failed', async () => {
    const config = smallConfig({ data: { ...smallConfig().data, source: 'nowhere' } });
    const report = fold(await eventsOf(await warmTable(), config), newReport(config));
    expect(report.outcome).toBe('failed');
    expect(report.failure).toContain('nowhere');
    expect(summarise(report)).toBe(null);
  });

  it('sums up from step 0 to the last evaluation', async () => {
    const config = smallConfig();
    const report = fold(await eventsOf(await warmTable(), config), newReport(config));
    for (const record of report.steps) record['time/store'] = record.step_time;
    const summary = summarise(report)!;
    const [start, , end] = report.evaluations.map((evaluation) => evaluation.report);
    expect(summary.steps).toBe(6);
    expect(summary.accuracy).toEqual({ from: start.overall.accuracy, to: end.overall.accuracy });
    expect(summary.responseLength).toEqual({ from: start.meanLength, to: end.meanLength });
    expect(summary.heldOut['order 4']).toEqual({
      from: start.heldOut['order 4'].accuracy,
      to: end.heldOut['order 4'].accuracy,
    });
    const shares = Object.values(summary.timeShares).reduce((sum, share) => sum + share, 0);
    expect(shares).toBeCloseTo(1, 6);
    expect(summary.timeShares.store).toBeCloseTo(0.5, 6);
    expect(summary.referenceShare).toBeGreaterThan(0);
    expect(summary.referenceShare).toBeLessThan(summary.timeShares.update);
  });

  it('says how a run ended, in its arm and in its row of a sweep as well', async () => {
    const config = smallConfig();
    const plain = fold(await eventsOf(await warmTable(), config), newReport(config));
    const [start, look, last] = plain.evaluations;
    const ending = (atLook: Ending, atLast: Ending): RunReport => ({
      ...plain,
      evaluations: [
        start,
        { ...look, verdict: verdict({ step: 3, provisional: true, ending: atLook }) },
        { ...last, verdict: verdict({ step: 6, ending: atLast, missing: ['more'] }) },
      ],
    });
    const arms = [
      ending('undetermined', 'reasons better'),
      ending('collapsed', 'collapsed'),
      ending('collapsed', 'undetermined'),
    ];
    const summaries = arms.map((report) => summarise(report)!);
    expect(summaries.map((summary) => summary.verdict)).toEqual([
      { ending: 'reasons better', since: 6, provisional: false, missing: ['more'] },
      // One look alone is not shown.
      { ending: 'collapsed', since: 6, provisional: false, missing: ['more'] },
      { ending: 'undetermined', since: null, provisional: false, missing: ['more'] },
    ]);

    const runs = arms.map(() => ({ arm: 'grpo', config }));
    expect(compareArms(runs, arms)[0]).toMatchObject({
      runs: 3,
      endings: { 'reasons better': 1, collapsed: 1, decorated: 0, undetermined: 1 },
    });

    const rows = summaries.map((summary) => ({ arm: 'grpo', config, id: null, status: 'done', summary }));
    const [head, ...lines] = sweepCsv(rows).trim().split('\r\n');
    const column = head.split(',').indexOf('verdict');
    expect(lines.map((line) => line.split(',')[column])).toEqual([
      'reasons better',
      'collapsed',
      'undetermined',
    ]);
  });

  it('has no verdict of a run that an older rule has judged', async () => {
    const config = smallConfig();
    const plain = fold(await eventsOf(await warmTable(), config), newReport(config));
    const older = plain.evaluations.map(({ report }) => ({ report, collapse: { collapsed: true } }));
    const report = { ...plain, evaluations: older };
    expect(summarise(report)!.verdict).toBe(null);
    expect(compareArms([{ arm: '', config }], [report])[0].endings.collapsed).toBe(0);
  });
});
