/**
 * SHA-256 of a stream (FIPS 180-4), for downloads larger than memory: WebCrypto hashes complete buffers only.
 * The state at a block boundary is 8 words. A download that resumes after a reload restores it and rehashes nothing.
 *
 *     T1 = h + S1(e) + Ch(e,f,g) + K[t] + W[t]        T2 = S0(a) + Maj(a,b,c)
 */

const blockSize = 64;

/** The first 32 bits of the fractional parts of `root(p)` for the first `count` primes p. */
function fractions(count: number, root: (prime: number) => number): Int32Array {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return Int32Array.from(primes, (prime) => ((root(prime) % 1) * 2 ** 32) | 0);
}

const initial = fractions(8, Math.sqrt);
const constants = fractions(64, Math.cbrt);
const schedule = new Int32Array(64);

/** Updates `state` with the blocks of `bytes` in [start, end), a multiple of 64 bytes. */
function compress(state: Int32Array, bytes: Uint8Array, start: number, end: number): void {
  const w = schedule;
  for (let block = start; block < end; block += blockSize) {
    for (let t = 0, i = block; t < 16; t += 1, i += 4) {
      w[t] = (bytes[i] << 24) | (bytes[i + 1] << 16) | (bytes[i + 2] << 8) | bytes[i + 3];
    }
    for (let t = 16; t < 64; t += 1) {
      const x = w[t - 15];
      const y = w[t - 2];
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[t] = (w[t - 16] + s0 + w[t - 7] + s1) | 0;
    }
    let a = state[0];
    let b = state[1];
    let c = state[2];
    let d = state[3];
    let e = state[4];
    let f = state[5];
    let g = state[6];
    let h = state[7];
    for (let t = 0; t < 64; t += 1) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[t] + w[t]) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  }
}

function hex(words: Int32Array): string {
  return Array.from(words, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

export interface Sha256 {
  update(bytes: Uint8Array): void;
  /** Hash of all bytes so far, 64 hexadecimal digits. Updates may follow. */
  digest(): string;
  /** State from which `createSha256` resumes. Valid only after a multiple of 64 bytes. */
  state(): string;
}

/** @param from state to resume from, a result of `state()`; omitted at the start of a stream */
export function createSha256(from?: string): Sha256 {
  const [words, taken] = from?.split(':') ?? [];
  const state =
    from === undefined
      ? initial.slice()
      : Int32Array.from(words.match(/.{8}/g)!, (word) => parseInt(word, 16));
  const rest = new Uint8Array(blockSize);
  let length = from === undefined ? 0 : Number(taken);
  return {
    update(bytes) {
      const waiting = length % blockSize;
      length += bytes.length;
      let start = 0;
      if (waiting > 0) {
        start = Math.min(blockSize - waiting, bytes.length);
        rest.set(bytes.subarray(0, start), waiting);
        if (waiting + start < blockSize) return;
        compress(state, rest, 0, blockSize);
      }
      const end = start + Math.floor((bytes.length - start) / blockSize) * blockSize;
      compress(state, bytes, start, end);
      rest.set(bytes.subarray(end));
    },
    digest() {
      const waiting = length % blockSize;
      const last = new Uint8Array(waiting < 56 ? blockSize : 2 * blockSize);
      last.set(rest.subarray(0, waiting));
      last[waiting] = 0x80;
      new DataView(last.buffer).setBigUint64(last.length - 8, BigInt(length) * 8n);
      const final = state.slice();
      compress(final, last, 0, last.length);
      return hex(final);
    },
    state: () => `${hex(state)}:${length}`,
  };
}

/** @returns 64 hexadecimal digits */
export function sha256Of(bytes: BufferSource): string {
  const hash = createSha256();
  hash.update(
    ArrayBuffer.isView(bytes)
      ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      : new Uint8Array(bytes),
  );
  return hash.digest();
}
