/** Helper threads of the trainer's worker, each a worker of its own. */
import type { StartHelper } from '../src/gpu/threads/pool';
import threadAddress from './kernel-thread?worker&url';
import { ownAddresses } from './own-addresses';

const addressOf = ownAddresses({ thread: () => new URL(threadAddress, import.meta.url).href });

export const startHelper: StartHelper = (data) => {
  const thread = new Worker(addressOf('thread'), { type: 'module', name: 'marble-kernel-thread' });
  let report = (): void => undefined;
  return new Promise((resolve, reject) => {
    thread.addEventListener('error', (event) => {
      event.preventDefault(); // or the page's worker would count as failed too
      report();
      reject(new Error(event.message));
    });
    thread.addEventListener(
      'message',
      () =>
        resolve({
          onEnd: (told) => (report = told),
          terminate: () => thread.terminate(),
        }),
      { once: true },
    );
    thread.postMessage(data);
  });
};
