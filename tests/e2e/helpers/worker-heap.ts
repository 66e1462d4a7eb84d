/**
 * Measures the memory of the trainer's worker through the debugging protocol, because a page cannot force garbage
 * collection.
 */
import type { CDPSession, Page } from 'playwright-core';

export interface WorkerHeap {
  tensors: number;
  tensorBytes: number;
  /** Bytes of objects after garbage collection. */
  heapBytes: number;
  /** Bytes of array buffers outside the heap, including WebAssembly memory. */
  bufferBytes: number;
}

interface Answer {
  id?: number;
  result?: object;
  error?: { message: string };
}

/** Sends requests to one worker by its session; the answers arrive as text through the page's session. */
function askerOf(
  session: CDPSession,
  sessionId: string,
): <Result>(method: string, params?: object) => Promise<Result> {
  let last = 0;
  return async <Result>(method: string, params: object = {}) => {
    const id = ++last;
    const answered = new Promise<Result>((resolve, reject) => {
      const take = (event: { sessionId: string; message: string }): void => {
        const { id: of, result, error } = JSON.parse(event.message) as Answer;
        if (event.sessionId !== sessionId || of !== id) return;
        session.off('Target.receivedMessageFromTarget', take);
        if (error === undefined) resolve(result as Result);
        else reject(new Error(`${method}: ${error.message}`));
      };
      session.on('Target.receivedMessageFromTarget', take);
    });
    await session.send('Target.sendMessageToTarget', {
      sessionId,
      message: JSON.stringify({ id, method, params }),
    });
    return answered;
  };
}

/** @returns a function that measures the worker whose script has this name */
export async function watchWorker(page: Page, script: string): Promise<() => Promise<WorkerHeap>> {
  const session = await page.context().newCDPSession(page);
  const workerSession = new Promise<string>((resolve) => {
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      if (targetInfo.url.includes(script)) resolve(sessionId);
    });
  });
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false });
  const ask = askerOf(session, await workerSession);
  return async () => {
    await ask('HeapProfiler.collectGarbage');
    const heap = await ask<{ usedSize: number; backingStorageSize: number }>('Runtime.getHeapUsage');
    const { result } = await ask<{ result: { value: string } }>('Runtime.evaluate', {
      expression: 'JSON.stringify(globalThis._tfengine.memory())',
    });
    const { numTensors, numBytes } = JSON.parse(result.value) as { numTensors: number; numBytes: number };
    return {
      tensors: numTensors,
      tensorBytes: numBytes,
      heapBytes: heap.usedSize,
      bufferBytes: heap.backingStorageSize,
    };
  };
}
