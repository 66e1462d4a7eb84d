/** Whether threads can share memory: always in Node, in a page only if it is cross-origin isolated. */
export function sharedMemoryAvailable(): boolean {
  const { crossOriginIsolated } = globalThis as { crossOriginIsolated?: boolean };
  return crossOriginIsolated ?? typeof SharedArrayBuffer === 'function';
}
