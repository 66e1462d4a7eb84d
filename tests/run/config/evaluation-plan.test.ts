import { expect, it } from 'vitest';
import { evaluationsAfter, isLookAt } from '../../../src/run/config/evaluation-plan';
import { eventsOf, ofType, smallConfig, warmTable } from '../../rl/runs';

it.each([
  [undefined, 2, [0, 2, 4, 5]],
  [2, 2, [0, 2, 4, 5]],
  [3, 2, [0, 2, 3, 4, 5]],
  [5, 2, [0, 2, 4, 5]],
  [1, 1, [0, 1, 2, 3, 4, 5]],
])(
  'plans the evaluations that the trainer still makes, with %s warm updates',
  async (updates, every, steps) => {
    const { evaluation } = smallConfig();
    const config = smallConfig({
      steps: 5,
      evaluation: { ...evaluation, every, items: 4, finalItems: 8 },
      warmStart: { updates, full: 0 },
    });
    const events = await eventsOf(await warmTable(), config);
    const evaluations = ofType(events, 'eval');
    const evaluated = evaluations.map(({ report }) => report.step);
    expect(evaluations.map(({ report }) => report.overall.count)).toEqual(
      evaluated.map((step) => (isLookAt(step, config) ? 4 : 8)),
    );
    expect(evaluated).toEqual(steps);
    [-1, ...evaluated].forEach((step, place) => {
      const later = evaluated.slice(place);
      const look = later.filter((one) => isLookAt(one, config)).length;
      const next = later.length === 0 || !isLookAt(later[0], config) ? 'ends' : 'look';
      expect(evaluationsAfter(step, config)).toEqual({ look, ends: later.length - look, next });
    });
  },
);
