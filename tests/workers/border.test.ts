import { expose, releaseProxy, wrap } from 'comlink';
import { describe, expect, it } from 'vitest';
import { MarbleError, toErrorReport } from '../../src/base/error';
import '../../workers/border';

/** A service that throws `thrown`, with the page's end of the channel. */
function across(thrown: unknown): { fails(): Promise<void>; close(): void } {
  const { port1, port2 } = new MessageChannel();
  const fails = (): never => {
    throw thrown;
  };
  expose({ fails }, port1);
  const service = wrap<{ fails(): Promise<void> }>(port2);
  return {
    fails: () => service.fails(),
    close: () => {
      service[releaseProxy]();
      port1.close();
      port2.close();
    },
  };
}

describe('the border to a worker', () => {
  it('throws on the other side what was thrown, with its code and its next step', async () => {
    const service = across(new MarbleError('store/full', 'The storage is full.', 'Delete a run.'));
    const error = await service.fails().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MarbleError);
    const report = { code: 'store/full', message: 'The storage is full.', nextStep: 'Delete a run.' };
    expect(error).toMatchObject(report);
    service.close();
  });

  it('says of any other error that it is a fault of Marble, and of a thrown text what it was', async () => {
    for (const thrown of [new TypeError('x is not a function'), 'x is not a function']) {
      const service = across(thrown);
      const error = await service.fails().catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: 'app/unexpected' });
      expect((error as Error).message).toContain('x is not a function');
      service.close();
    }
  });
});

it('a part of the page that the network keeps back is no fault in Marble', () => {
  const report = toErrorReport(
    new TypeError('Failed to fetch dynamically imported module: http://x/link.js'),
  );
  expect(report.code).toBe('app/part-missing');
  expect(report.nextStep).toMatch(/^Reload/);
});
