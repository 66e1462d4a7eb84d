/** The page's end of the worker that trains. */
import type { TrainerService } from '../../workers/protocol';
import { openWorker, type WorkerPort } from './worker-port';

// Every method of the service is asynchronous already, so the proxy has the service's own type.
export type TrainerPort = WorkerPort<TrainerService>;

export type OpenPort = () => TrainerPort;

export const openWorkerPort: OpenPort = () =>
  openWorker<TrainerService>('trainer', 'Reload the page; the run goes on from its last checkpoint.');
