/**
 * WebGPU in Node: Dawn, by the npm package `webgpu`, which is not installed unless it is asked for (it has 130 MB). To be
 * called before anything that imports tfjs.
 */

/**
 * Gives this process `navigator.gpu`, unless it has one.
 *
 * @returns false where the package `webgpu` is not installed, or does not start on this machine
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
