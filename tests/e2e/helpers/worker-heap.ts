/**
 * Measures the memory of the trainer's worker and of the page through the debugging protocol, because a page cannot force
 * garbage collection.
 */
import type { CDPSession, Page } from 'playwright-core';

export interface WorkerHeap {
  tensors: number;
  tensorBytes: number;
  /** Bytes of objects after garbage collection. */
  heapBytes: number;
  /** Bytes of array buffers outside the heap, without shared WebAssembly memory. */
  bufferBytes: number;
  /** Bytes of tfjs's WebAssembly memory. */
  wasmBytes: number;
}

export interface PageHeap {
  /** Bytes of objects after garbage collection, and of array buffers. */
  heapBytes: number;
  nodes: number;
  listeners: number;
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
      expression: `JSON.stringify({
        ..._tfengine.memory(),
        wasmBytes: _tfengine.backendInstance.wasm.asm.memory.buffer.byteLength,
      })`,
    });
    const { numTensors, numBytes, wasmBytes } = JSON.parse(result.value) as Record<string, number>;
    return {
      tensors: numTensors,
      tensorBytes: numBytes,
      heapBytes: heap.usedSize,
      bufferBytes: heap.backingStorageSize,
      wasmBytes,
    };
  };
}

/** @returns a function that measures the page */
export async function watchPage(page: Page): Promise<() => Promise<PageHeap>> {
  const session = await page.context().newCDPSession(page);
  return async () => {
    await session.send('HeapProfiler.collectGarbage');
    // Newer Chromium also reports array buffers, which the types lack.
    const heap = (await session.send('Runtime.getHeapUsage')) as {
      usedSize: number;
      backingStorageSize?: number;
    };
    const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
    return { heapBytes: heap.usedSize + (heap.backingStorageSize ?? 0), nodes, listeners: jsEventListeners };
  };
}
