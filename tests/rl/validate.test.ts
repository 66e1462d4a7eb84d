import { describe, expect, it } from 'vitest';
import { openItems } from '../../src/rl/data';
import { evaluate } from '../../src/rl/evaluate/evaluate';
import { validate } from '../../src/rl/evaluate/evaluate-at';
import { eventsOf, lastCheckpoint, ofType, smallConfig, warmTable } from './runs';

/** At step 1 of this run the validation accuracy rises and the reported one falls. */
const config = smallConfig({
  steps: 8,
  evaluation: { every: 1, items: 16, seed: 6, patience: 0, validationItems: 30 },
});

/** Steps, from 1, at which a value is above all before it, the one of step 0 included. */
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

  it('stands in every evaluation, beside the accuracy that is reported, and changes no other figure', async () => {
    const { validationItems, ...reported } = config.evaluation;
    const reports = async (evaluation: typeof reported) =>
      ofType(await eventsOf(await warmTable(), { ...config, evaluation }), 'eval').map(
        ({ report }) => report,
      );
    const [without, beside] = [await reports(reported), await reports(config.evaluation)];
    expect(beside).toHaveLength(9);
    for (const [look, { validation, ...report }] of beside.entries()) {
      expect(validation?.count).toBe(validationItems);
      expect(report).toEqual(without[look]);
    }
  });

  it('marks the best checkpoint, where the reported accuracy only falls', async () => {
    const events = await eventsOf(await warmTable(), config);
    const reports = ofType(events, 'eval').map(({ report }) => report);
    const marked = ofType(events, 'checkpoint').filter(({ best }) => best === true);
    const byValidation = records(reports.map(({ validation }) => validation!.accuracy));
    expect(marked.map(({ checkpoint }) => checkpoint.step)).toEqual(byValidation);
    expect(byValidation).not.toEqual(records(reports.map(({ overall }) => overall.accuracy)));
  });

  it('is what patience waits for', async () => {
    const impatient = { ...config.evaluation, patience: 3 };
    const { validationItems, ...byReported } = impatient;
    const endOf = async (evaluation: typeof byReported): Promise<number> =>
      lastCheckpoint(await eventsOf(await warmTable(), { ...config, evaluation })).step;
    expect(validationItems).toBe(30);
    expect([await endOf(byReported), await endOf(impatient)]).toEqual([3, 4]);
  });
});
