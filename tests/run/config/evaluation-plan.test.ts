import { describe, expect, it } from 'vitest';
import { openItems, type ItemSource } from '../../../src/rl/data';
import type { RunConfig } from '../../../src/run/config/config';
import { answersAt, answersOf, FALSIFIED } from '../../../src/run/config/evaluation-plan';
import { presets } from '../../../src/run/config/presets';
import { generatorNames } from '../../../src/tom/worlds/generate';
import { eventsOf, ofType, smallConfig, warmTable } from '../../rl/runs';

const { data, evaluation } = smallConfig();
const asking = (
  changed: Partial<RunConfig['data']>,
  counts: Partial<RunConfig['evaluation']> = {},
): RunConfig => smallConfig({ data: { ...data, ...changed }, evaluation: { ...evaluation, ...counts } });

/** What the trainer's sets ask besides the fixed one. */
const besides = ({ suite, validation }: ItemSource): number =>
  Object.values(suite.heldOut).flat().length + suite.tasks.length + validation.length;

describe('the answers of an evaluation, told from the configuration', () => {
  const worlds = generatorNames().map(({ name, orders }): [string, RunConfig] => [
    name,
    asking({ source: name, orders: [orders[0]] }, { items: 40, finalItems: 60, validationItems: 7 }),
  ]);
  const swaps = [
    { orders: [0, 1, 2, 3, 4] },
    { rho: 0.82 },
    { rho: 0.2 },
    { reentry: true, rho: 0.5 },
    { events: 12 },
  ].map((dials): [string, RunConfig] => [
    `swap with ${JSON.stringify(dials)}`,
    asking(dials, { items: 40, finalItems: 600 }),
  ]);
  const english = Object.entries(presets).filter(([, { model }]) => model.kind !== 'embedded');

  it.each([...worlds, ...swaps, ...english])(
    'are those of the sets that the trainer draws: %s',
    (_, config) => {
      const source = openItems(config);
      const { items, lookItems } = source.suite;
      expect(answersAt(config.evaluation.every, config)).toBe(lookItems + besides(source));
      // Only traces of the swap world are falsified.
      const falsified = config.data.source === 'swap' ? Math.min(items.length, FALSIFIED) : 0;
      expect(answersAt(0, config)).toBe(2 * items.length + falsified + besides(source));
      expect(answersAt(config.steps, config)).toBe(answersAt(0, config));
    },
  );

  it('are asked at the steps at which a run is evaluated', async () => {
    const config = smallConfig({
      steps: 5,
      evaluation: { ...evaluation, every: 2, items: 4, finalItems: 8 },
    });
    const evaluated = ofType(await eventsOf(await warmTable(), config), 'eval').map(
      ({ report }) => report.step,
    );
    expect(evaluated).toEqual([0, 2, 4, 5]);
    evaluated.forEach((step, place) => {
      const left = evaluated.slice(place + 1).reduce((sum, later) => sum + answersAt(later, config), 0);
      expect(answersOf(config, step)).toBe(left);
    });
    expect(answersOf(config)).toBe(answersAt(0, config) + answersOf(config, 0));
  });
});
