import { expect, it, vi } from 'vitest';
import { openedWeightCache } from '../../../workers/models/model-store';

const cache = vi.hoisted(() => ({ failures: 1 }));
vi.mock('../../../src/store/weights/weight-cache', () => ({
  openWeightCache: () =>
    cache.failures-- > 0 ? Promise.reject(new Error('no network')) : Promise.resolve('a cache'),
}));

it('a failed load of the weight cache is repeated by the next call', async () => {
  await expect(openedWeightCache()).rejects.toThrow('no network');
  expect(await openedWeightCache()).toBe('a cache');
});
