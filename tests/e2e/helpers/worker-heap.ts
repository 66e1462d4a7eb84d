/** Memory of the trainer's worker, read over the debugging protocol: a page cannot ask for a collection of garbage. */
import type { CDPSession, Page } from 'playwright-core';

export interface WorkerHeap {
  tensors: number;
  tensorBytes: number;
  /** Of objects, after everything unreachable was collected. */
  heapBytes: number;
  /** Of array buffers beside the heap, the memory of WebAssembly among them. */
  bufferBytes: number;
}

interface Answer {
  id?: number;
  result?: object;
  error?: { message: string };
}

/** Asks one worker by its session; answers come as texts through the page's. */
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

/** @returns what looks at the worker whose script's name begins so, as often as it is called */
export async function watchWorker(page: Page, script: string): Promise<() => Promise<WorkerHeap>> {
  const session = await page.context().newCDPSession(page);
  const found = new Promise<string>((resolve) => {
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      if (targetInfo.url.includes(script)) resolve(sessionId);
    });
  });
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false });
  const ask = askerOf(session, await found);
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
