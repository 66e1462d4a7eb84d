import { expose, releaseProxy, wrap } from 'comlink';
import { expect, it } from 'vitest';
import { MarbleError } from '../../src/base/error';
import '../../workers/border';

const full = { code: 'store/full', message: 'It is full.', nextStep: 'Delete a run.' } as const;
const fault = {
  code: 'app/unexpected',
  nextStep: expect.stringMatching(/^This is a fault in Marble/) as string,
};

it.each([
  [new MarbleError(full.code, full.message, full.nextStep), full],
  [new TypeError('no function'), { ...fault, message: 'TypeError: no function' }],
  ['no function', { ...fault, message: 'no function' }],
])('the border to a worker throws on the other side what was thrown: %s', async (thrown: unknown, report) => {
  const { port1, port2 } = new MessageChannel();
  const fails = (): never => {
    throw thrown;
  };
  expose({ fails }, port1);
  const service = wrap<{ fails(): Promise<void> }>(port2);
  const error = await service.fails().catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(MarbleError);
  expect(error).toMatchObject(report);
  service[releaseProxy]();
  for (const port of [port1, port2]) port.close();
});
