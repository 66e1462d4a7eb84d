import { describe, expect, it } from 'vitest';
import type { RunConfig } from '../../../src/run/config/config';
import { openItems } from '../../../src/rl/data';
import { evaluate } from '../../../src/rl/evaluate/evaluate';
import { validate } from '../../../src/rl/evaluate/evaluate-at';
import { eventsOf, lastCheckpoint, ofType, smallConfig, warmTable } from '../runs';
import { createTablePolicy } from '../table-policy';
import { measuredAccuracy } from '../../../src/reward/accuracy';

/** At step 1 of this run the validation accuracy rises and the reported accuracy falls. */
const config = smallConfig({
  steps: 8,
  evaluation: { every: 1, items: 16, hardItems: 0, seed: 6, patience: 0, validationItems: 30 },
});

/** Indices, from 1, of evaluations with a new best value, including the start. */
const records = (values: readonly number[]): number[] =>
  values.flatMap((value, step) => (step > 0 && value > Math.max(...values.slice(0, step)) ? [step] : []));

describe('validation', () => {
  it('is the greedy accuracy on its own items', async () => {
    const policy = await warmTable();
    const source = openItems(smallConfig({ evaluation: { ...config.evaluation, validationItems: 150 } }));
    const { overall } = await evaluate(policy, { ...source.suite, items: source.validation, heldOut: {} });
    expect(overall.count).toBe(150);
    expect(await validate(policy, source)).toEqual(overall);
  });

  it('is part of every evaluation and changes no other metric', async () => {
    const { validationItems, ...reported } = config.evaluation;
    const run = async (evaluation: typeof reported) => eventsOf(await warmTable(), { ...config, evaluation });
    const [without, beside] = [await run(reported), await run(config.evaluation)];
    expect(ofType(beside, 'eval')).toHaveLength(9);
    for (const [look, { report }] of ofType(beside, 'eval').entries()) {
      expect(report.validation?.count).toBe(validationItems);
      expect({ ...report, validation: undefined }).toEqual(ofType(without, 'eval')[look].report);
    }
    const done = ofType(beside, 'progress').flatMap(({ phase, step, fraction }) =>
      phase === 'evaluate' ? [step + 0.99 * fraction] : [],
    );
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(done.filter((at) => Math.floor(at) === 2)).toContain(2 + 0.99 / 2);
  });

  it('selects the best checkpoint; without it the reported accuracy does', async () => {
    const marked = async (evaluation: RunConfig['evaluation']) => {
      const events = await eventsOf(await warmTable(), { ...config, evaluation });
      const reports = ofType(events, 'eval').map(({ report }) => report);
      return {
        steps: ofType(events, 'checkpoint').flatMap(({ best, checkpoint }) =>
          best ? [checkpoint.step] : [],
        ),
        byReported: records(reports.map(({ overall }) => measuredAccuracy(overall)!)),
        byValidation: records(reports.map(({ validation }) => measuredAccuracy(validation) ?? 0)),
      };
    };
    const beside = await marked(config.evaluation);
    expect(beside.steps).toEqual(beside.byValidation);
    expect(beside.byValidation).not.toEqual(beside.byReported);
    const alone = await marked({ every: 2, items: 40, seed: 7, patience: 0 });
    expect(alone.steps).toEqual(alone.byReported.map((look) => 2 * look));
    expect(alone.steps).not.toEqual([]);
  });

  it('drives early stopping, which makes the final, full-size evaluation, also after a stop in between', async () => {
    const evaluation = { ...config.evaluation, patience: 3, finalItems: 24 };
    const early = { ...config, evaluation };
    const policy = await warmTable();
    const whole = await eventsOf(policy, early);
    const evals = ofType(whole, 'eval');
    expect(evals.map(({ report }) => report.step)).toEqual([0, 1, 2, 3, 4]);
    expect(evals.map(({ report }) => report.overall.count)).toEqual([24, 16, 16, 16, 24]);
    expect(evals.map(({ report }) => report.sampled?.correct.length ?? 0)).toEqual([24, 0, 0, 0, 24]);
    expect(evals.map(({ verdict }) => verdict?.provisional)).toEqual([undefined, true, true, true, false]);
    const last = evals.at(-1)!;
    const source = openItems(early);
    const ends = { temperature: early.rollout.temperature, seed: evaluation.seed };
    const validation = await validate(policy, source);
    expect({ ...(await evaluate(policy, source.suite, { step: 4, ends })), validation }).toEqual(last.report);

    const stop = new AbortController();
    let most = 0;
    const cut = await eventsOf(await warmTable(), early, { signal: stop.signal }, (event) => {
      if (event.type !== 'progress' || event.phase !== 'evaluate' || event.step !== 4) return;
      if (event.fraction < most) stop.abort(); // the second evaluation of this step has begun
      most = event.fraction;
    });
    expect(ofType(cut, 'eval').at(-1)?.report.step).toBe(3);
    const rest = await eventsOf(createTablePolicy(), early, { resume: lastCheckpoint(cut) });
    expect(ofType(rest, 'eval')).toEqual([last]);
    expect(lastCheckpoint(rest)).toEqual(lastCheckpoint(whole));
    expect(rest.at(-1)).toEqual({ type: 'done', step: 4 });
  });
});

it('the alert of an ending follows the second of two evaluations in a row that have it', async () => {
  const thinkless = smallConfig({
    steps: 3,
    method: 'sft-answers',
    data: { ...smallConfig().data, orders: [1, 2] },
    optimizer: { ...smallConfig().optimizer, learningRate: 0.3, maxGradNorm: 10 },
    evaluation: { every: 1, items: 120, seed: 7, patience: 0 },
  });
  const events = await eventsOf(await warmTable(), thinkless);
  expect(ofType(events, 'eval').map(({ verdict }) => verdict?.ending)).toEqual([
    undefined,
    ...['stops thinking', 'stops thinking', 'stops thinking'],
  ]);
  expect(ofType(events, 'alert').map(({ alert }) => [alert.step, alert.code])).toEqual([
    [2, 'rl/thinking-lost'],
  ]);
});
