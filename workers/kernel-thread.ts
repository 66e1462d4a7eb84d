/** A helper thread of the trainer's worker. It runs kernels in shared memory until the pool is closed. */
import { serveJobs, type HelperData } from '../src/gpu/threads/serve-jobs';

addEventListener(
  'message',
  ({ data }: MessageEvent<HelperData>) => {
    postMessage('ready');
    serveJobs(data);
  },
  { once: true },
);
