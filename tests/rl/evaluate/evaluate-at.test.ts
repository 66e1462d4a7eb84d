import { expect, it } from 'vitest';
import { eventsOf, ofType, smallConfig, warmTable } from '../runs';

it('the alert of an ending follows the second of two evaluations in a row that have it', async () => {
  const thinkless = smallConfig({
    steps: 3,
    method: 'sft-answers',
    data: { ...smallConfig().data, orders: [1, 2] },
    optimizer: { ...smallConfig().optimizer, learningRate: 0.3, maxGradNorm: 10 },
    evaluation: { every: 1, items: 120, seed: 7 },
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
