/** A GPU whose memory is too small: what was needed, and what to lower. */
import { MarbleError } from '../base/error';

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;

/**
 * @param needed bytes of all buffers in use, the one that was refused among them
 * @param largest bytes of the largest buffer made since the device was last waited for
 * @param reason the driver's own words
 */
export function outOfMemory(needed: number, largest: number, reason: string): MarbleError {
  return new MarbleError(
    'gpu/out-of-memory',
    `The GPU is out of memory: ${megabytes(needed)} were needed at once, ${megabytes(largest)} of them in one buffer. ${reason}`,
    'Choose a smaller model, fewer samples at once or shorter completions.',
  );
}
