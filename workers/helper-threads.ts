/** Starts helper threads of the trainer's worker, each in a worker. */
import { startWorker } from '../src/gpu/threads/start-helper';
import type { StartHelper } from '../src/gpu/threads/pool';
import threadAddress from './kernel-thread?worker&url';
import { ownAddresses } from './own-addresses';

const addressOf = ownAddresses({ thread: () => new URL(threadAddress, import.meta.url).href });

export const startHelper: StartHelper = (data) =>
  startWorker(new Worker(addressOf('thread'), { type: 'module', name: 'marble-kernel-thread' }))(data);
