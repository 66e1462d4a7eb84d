/** A helper thread of the trainer's worker, which is to run kernels in shared memory. */
addEventListener('message', () => postMessage('ready'), { once: true });
