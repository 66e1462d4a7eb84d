import { expect, it, vi } from 'vitest';
import { createTrainerService } from '../../workers/service';

vi.mock('../../src/gpu/capabilities', () => ({
  probeAdapter: () => Promise.resolve(null),
  nameAdapter: () => '',
}));

it('what this computer offers is told where the browser refuses to say how much storage there is', async () => {
  vi.stubGlobal('navigator', {
    storage: { estimate: () => Promise.reject(new Error('not allowed')) },
    locks: { query: () => Promise.resolve({ held: [] }) },
  });
  const service = createTrainerService('');
  expect(await service.capabilities()).toEqual({
    adapter: null,
    storage: null,
    busyElsewhere: false,
    runElsewhere: null,
  });
});
