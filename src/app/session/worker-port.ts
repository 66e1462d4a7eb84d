/** The page's end of a worker: opens it, calls it, and detects its end. */
import { wrap, type Remote } from 'comlink';
import { MarbleError, missingPart } from '../../base/error';
import '../../../workers/border';
import { ownAddresses } from '../../../workers/own-addresses';
import type { TrainerService } from '../../../workers/service';
import datasetsAddress from '../../../workers/datasets.worker?worker&url';
import trainerAddress from '../../../workers/trainer.worker?worker&url';

export interface WorkerPort<Service> {
  service: Service;
  /** Rejects when the worker ends; never resolves. A terminated worker does not settle its pending calls. */
  ended: Promise<never>;
  close(): void;
}

export const addressOf = ownAddresses({
  trainer: () => new URL(trainerAddress, import.meta.url).href,
  datasets: () => new URL(datasetsAddress, import.meta.url).href,
  offline: () => new URL('service-worker.js', document.baseURI).href,
});

/** @param nextStep - advice to the visitor if the worker fails */
export function openWorker<Service>(
  name: 'trainer' | 'datasets',
  nextStep: string,
): WorkerPort<Remote<Service>> {
  const worker = new Worker(addressOf(name), { type: 'module', name: `marble-${name}` });
  let fail: (reason: MarbleError) => void = () => undefined;
  const ended = new Promise<never>((_, reject) => (fail = reject));
  // Prevents an unhandled rejection while nothing awaits the end.
  ended.catch(() => undefined);
  worker.addEventListener('error', ({ message }) => {
    const words = `A worker of this page (${name}) failed: ${message}.`;
    // Without a message, the script could not be fetched.
    fail(message ? new MarbleError('app/worker-failed', words, nextStep) : missingPart());
  });
  return {
    service: wrap<Service>(worker),
    ended,
    close: () => {
      worker.terminate();
      fail(new MarbleError('app/worker-closed', `The worker (${name}) was closed.`, nextStep));
    },
  };
}

/** Timeout in milliseconds. A worker that does not answer in time is closed, even if it is busy. */
export const PATIENCE = 20_000;
/**
 * Timeout in milliseconds while the worker reads untrusted files. A large file delays it, and a hostile one might never
 * end.
 */
export const PATIENCE_WHILE_READING = 60_000;

// Every method of the service is already asynchronous, so the proxy has the service's own type.
export type TrainerPort = WorkerPort<TrainerService>;

export type OpenPort = () => TrainerPort;

export const openTrainer: OpenPort = () =>
  openWorker<TrainerService>('trainer', 'Reload the page; the run goes on from its last checkpoint.');

/** Settles as the worker's answer does. Rejects if the worker ends first. */
export function ask<Service, T>(
  port: WorkerPort<Service>,
  question: (service: Service) => Promise<T>,
): Promise<T> {
  return Promise.race([question(port.service), port.ended]);
}
