/** Errors of a GPU device. Each readback closes the error scopes, and the first error is kept. */
import { lessMemory, MarbleError } from '../../base/error';

const SCOPES: readonly GPUErrorFilter[] = ['validation', 'out-of-memory', 'internal'];

export class DeviceFaults {
  private first: MarbleError | null = null;

  /** @param outOfMemory makes the error for failed allocations from the device's message */
  constructor(
    private readonly device: GPUDevice,
    private readonly outOfMemory: (message: string) => MarbleError,
  ) {
    this.open();
    device.addEventListener('uncapturederror', (event) => this.take(event.error));
  }

  /** Records that the device is lost. This error replaces any earlier one. */
  lose(message: string): MarbleError {
    this.first = deviceLost(message);
    return this.first;
  }

  /** @throws MarbleError when the device was lost or refused a command */
  throwFirst(): void {
    if (this.first) throw this.first;
  }

  /** Closes the error scopes of all commands so far and opens new ones. */
  takeScopes(): Promise<GPUError | null>[] {
    const caught = SCOPES.map(() => this.device.popErrorScope().catch(() => null));
    this.open();
    return caught;
  }

  /** @throws MarbleError for an error in these scopes, or for an earlier one */
  async throwCaught(caught: readonly Promise<GPUError | null>[]): Promise<void> {
    for (const error of await Promise.all(caught)) if (error) this.take(error);
    this.throwFirst();
  }

  private open(): void {
    for (const filter of SCOPES) this.device.pushErrorScope(filter);
  }

  /** Keeps the first error, since later ones are its consequences. */
  private take(error: GPUError): void {
    this.first ??=
      error instanceof GPUOutOfMemoryError ? this.outOfMemory(error.message) : commandRefused(error);
  }
}

function commandRefused(error: GPUError): MarbleError {
  return new MarbleError(
    'gpu/command-refused',
    `The GPU refused a command: ${error.message}`,
    'This is a fault in Marble or in the driver. Choose the wasm backend, and report this text.',
  );
}

export function deviceLost(message: string): MarbleError {
  return new MarbleError(
    'gpu/device-lost',
    `The GPU device was lost${message === '' ? '' : `: ${message}`}.`,
    'Open the run again: it goes on from its last checkpoint.',
  );
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;

/**
 * Error for a GPU with too little memory. It states the needed memory and the settings to reduce.
 *
 * @param needed bytes of all buffers in use, including the one that failed
 * @param largest bytes of the largest buffer made since the last wait for the device
 * @param reason the driver's message
 */
export function outOfMemory(needed: number, largest: number, reason: string): MarbleError {
  return new MarbleError(
    'gpu/out-of-memory',
    `The GPU is out of memory: ${megabytes(needed)} were needed at once, ${megabytes(largest)} of them in one buffer. ${reason}`,
    lessMemory,
  );
}
