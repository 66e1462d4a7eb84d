import { expose, releaseProxy, wrap } from 'comlink';
import { expect, it } from 'vitest';
import { MarbleError } from '../../src/base/error';
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

it.each([
  [
    new MarbleError('store/full', 'It is full.', 'Delete a run.'),
    { code: 'store/full', message: 'It is full.' },
  ],
  [new TypeError('no function'), { code: 'app/unexpected', message: 'TypeError: no function' }],
  ['no function', { code: 'app/unexpected', message: 'no function' }],
])('the border to a worker throws on the other side what was thrown: %s', async (thrown, report) => {
  const service = across(thrown);
  const error = await service.fails().catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(MarbleError);
  expect(error).toMatchObject(report);
  expect((error as MarbleError).nextStep).toMatch(/^(Delete a run\.|This is a fault in Marble)/);
  service.close();
});
