/**
 * Error transfer between page and workers. A class name does not survive the transfer, so an error is sent as an
 * `ErrorReport` and rethrown on the other side as a `MarbleError`. By default comlink would keep only the message.
 * Both ends import this file before their first call.
 */
import { transferHandlers, type TransferHandler } from 'comlink';
import { errorFrom, toErrorReport, type ErrorReport } from '../src/base/error';

/** comlink's handler, which recognizes thrown values. */
const comlinks = transferHandlers.get('throw')!;

const thrown: TransferHandler<{ value: unknown }, ErrorReport> = {
  canHandle: (value): value is { value: unknown } => comlinks.canHandle(value),
  serialize: ({ value }) => [toErrorReport(value), []],
  deserialize: (report) => {
    throw errorFrom(report);
  },
};

transferHandlers.set('throw', thrown);
