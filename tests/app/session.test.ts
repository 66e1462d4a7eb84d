import { describe, expect, it, vi } from 'vitest';
import { createSession } from '../../src/app/session/session';
import type { TrainerService, WorkerEvent } from '../../workers/protocol';

vi.mock('../../src/app/worker-port', () => ({
  ask: <Service, T>({ service }: { service: Service }, question: (service: Service) => Promise<T>) =>
    question(service),
}));

describe('a run that is kept', () => {
  it('asks the browser once not to clear it', async () => {
    let tell: (event: WorkerEvent) => void = () => undefined;
    const service = {
      connect: (_: string, onEvent: typeof tell) => {
        tell = onEvent;
        return Promise.resolve({ adapter: null, storage: null, busyElsewhere: false });
      },
      listRuns: () => Promise.resolve([]),
    } as unknown as TrainerService;
    const persist = vi.fn(() => Promise.reject(new Error('not allowed')));
    vi.stubGlobal('navigator', { storage: { persist } });
    const port = { service, ended: new Promise<never>(() => undefined), close: () => undefined };
    const session = createSession(() => port, 'http://localhost/');
    await session.connect();
    expect(persist).not.toHaveBeenCalled();
    tell({ type: 'kept', step: 1 });
    tell({ type: 'kept', step: 2 });
    expect(persist).toHaveBeenCalledTimes(1);
  });
});
