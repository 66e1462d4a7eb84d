/**
 * Makes the memory of a wasm module shared.
 *
 * tfjs's SIMD module declares its own memory with a maximum, and Marble's kernels import one. One bit of a memory's
 * limits marks it as shared (WebAssembly threads proposal, binary format of limits). With this bit set, the same
 * module works on a SharedArrayBuffer, which helper threads can read. tfjs's threaded build is not used: it is
 * disabled in Node, starts `blob:` workers, and always starts eight of them.
 */

const IMPORTS = 2;
const MEMORIES = 5;
const HAS_MAXIMUM = 0x01;
const SHARED = 0x02;

/**
 * @returns a copy of the module's bytes in which its memory, own or imported, is shared
 * @throws RangeError for a module without exactly one memory that has a maximum
 */
export function withSharedMemory(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = Uint8Array.from(bytes);
  let at = 8;
  const unsigned = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = copy[at++];
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const share = (): Uint8Array<ArrayBuffer> => {
    if ((copy[at] & HAS_MAXIMUM) === 0) throw new RangeError('The memory has no maximum.');
    copy[at] |= SHARED;
    return copy;
  };
  while (at < copy.length) {
    const id = copy[at++];
    const end = unsigned() + at;
    const count = id === MEMORIES || id === IMPORTS ? unsigned() : 0;
    if (id === MEMORIES && count === 1) return share();
    for (let i = 0; id === IMPORTS && i < count; i++) {
      for (let name = 0; name < 2; name++) {
        const length = unsigned();
        at += length;
      }
      const kind = copy[at++];
      if (kind === 2) return share();
      if (kind === 0)
        unsigned(); // the type index of a function
      else break; // tables and globals follow the functions, if there are any
    }
    at = end;
  }
  throw new RangeError('The module has no memory.');
}

/** Returns whether threads can share memory: always in Node, and in a cross-origin isolated page. */
export function sharedMemoryAvailable(): boolean {
  const { crossOriginIsolated } = globalThis as { crossOriginIsolated?: boolean };
  return crossOriginIsolated ?? typeof SharedArrayBuffer === 'function';
}
