/**
 * What both ends of a worker's border agree on: an error crosses it as an `ErrorReport`, because a class name does not
 * survive, and is thrown on the other side as the `MarbleError` that it was. Without this, comlink would keep the message
 * alone. Both ends import this file before their first call.
 */
import { transferHandlers, type TransferHandler } from 'comlink';
import { MarbleError, toErrorReport, type ErrorReport } from '../src/base/error';

/** Knows which values were thrown. */
const comlinks = transferHandlers.get('throw')!;

const thrown: TransferHandler<{ value: unknown }, ErrorReport> = {
  canHandle: (value): value is { value: unknown } => comlinks.canHandle(value),
  serialize: ({ value }) => [toErrorReport(value), []],
  deserialize: ({ code, message, nextStep }) => {
    throw new MarbleError(code, message, nextStep);
  },
};

transferHandlers.set('throw', thrown);
