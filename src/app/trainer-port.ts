/** The page's end of the worker: opening it, asking it, and noticing that it has died. */
import { wrap } from 'comlink';
import { MarbleError } from '../error';
import type { Reply, TrainerService } from '../../workers/protocol';
import workerAddress from '../../workers/trainer.worker?worker&url';

export interface TrainerPort {
  service: TrainerService;
  /** Rejects when the worker ends; never resolves. A terminated worker does not settle the calls that wait for it. */
  ended: Promise<never>;
  close(): void;
}

export type OpenPort = () => TrainerPort;

/** The part of the browser's Trusted Types that is used here; TypeScript's own library does not know them yet. */
interface ScriptAddressPolicy {
  createScriptURL(address: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: ScriptAddressPolicy): ScriptAddressPolicy;
}

const address = new URL(workerAddress, import.meta.url).href;

/** The content security policy lets only this policy make the address of a worker, and it knows but ours. */
const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
const policy: ScriptAddressPolicy = trustedTypes?.createPolicy('marble-worker', {
  createScriptURL: () => address,
}) ?? { createScriptURL: () => address };

export const openWorkerPort: OpenPort = () => {
  const worker = new Worker(policy.createScriptURL(address), { type: 'module', name: 'marble-trainer' });
  let fail: (reason: MarbleError) => void = () => undefined;
  const ended = new Promise<never>((_, reject) => (fail = reject));
  // Somebody may ask later or never: an end that nobody waits for is no unhandled rejection.
  ended.catch(() => undefined);
  worker.addEventListener('error', (event) => {
    fail(
      new MarbleError(
        'app/worker-failed',
        `The trainer's worker failed: ${event.message || 'no reason given'}.`,
        'Reload the page; the run goes on from its last checkpoint.',
      ),
    );
  });
  return {
    // Every method of the service is asynchronous already, so the proxy has the service's own type.
    service: wrap<TrainerService>(worker),
    ended,
    close: () => {
      worker.terminate();
      fail(new MarbleError('app/worker-closed', 'The trainer was closed.', 'Start or resume the run again.'));
    },
  };
};

/** The value of a reply, or its error thrown; also when the worker ends first. */
export async function ask<T>(
  port: TrainerPort,
  question: (service: TrainerService) => Promise<Reply<T>>,
): Promise<T> {
  const reply = await Promise.race([question(port.service), port.ended]);
  if (reply.ok) return reply.value;
  throw new MarbleError(reply.error.code, reply.error.message, reply.error.nextStep);
}
