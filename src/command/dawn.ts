/** WebGPU in Node through Dawn, from the optional npm package `webgpu` (130 MB). Must run before any import of tfjs. */

/**
 * Sets `navigator.gpu` in this process, unless it exists.
 *
 * @returns false if the package `webgpu` is not installed or does not start on this machine
 */
export async function openDawn(): Promise<boolean> {
  const { navigator } = globalThis as { navigator?: { gpu?: unknown } };
  if (navigator?.gpu !== undefined) return true;
  try {
    const { create, globals } = await import('webgpu');
    const gpu = create([]);
    Object.assign(globalThis, globals);
    Object.defineProperty(globalThis, 'navigator', {
      value: { gpu, userAgent: `Node.js/${process.versions.node}` },
      configurable: true,
      writable: true,
    });
    return true;
  } catch {
    return false;
  }
}
