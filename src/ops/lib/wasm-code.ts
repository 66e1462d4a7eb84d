/**
 * As much of the binary format of WebAssembly as a kernel of a few loops needs (WebAssembly Core Specification 2.0, chapter
 * 5): instructions are lists of bytes, and a module has functions of numbers over one imported memory.
 */

export type Code = readonly number[];

/** LEB128 without a sign. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return bytes;
}

/** LEB128 with a sign, of a number below 2^31. */
function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (;;) {
    const byte = rest & 0x7f;
    rest >>= 7;
    const isLast = (rest === 0 && (byte & 0x40) === 0) || (rest === -1 && (byte & 0x40) !== 0);
    bytes.push(isLast ? byte : byte | 0x80);
    if (isLast) return bytes;
  }
}

const VOID = 0x40;
const join = (...parts: readonly Code[]): Code => parts.flat();
/** Aligned to 4 bytes. */
const at4 = (offset: number): Code => [2, ...unsigned(offset)];

export const get = (local: number): Code => [0x20, ...unsigned(local)];
export const set = (local: number, value: Code): Code => join(value, [0x21, ...unsigned(local)]);

export const constant = (value: number): Code => [0x41, ...signed(value)];
export const add = (a: Code, b: Code): Code => join(a, b, [0x6a]);
export const multiply = (a: Code, b: Code): Code => join(a, b, [0x6c]);
export const and = (a: Code, b: Code): Code => join(a, b, [0x71]);
export const less = (a: Code, b: Code): Code => join(a, b, [0x49]);
export const atMost = (a: Code, b: Code): Code => join(a, b, [0x4d]);
/** The first value where the condition holds, else the second. */
export const choose = (first: Code, second: Code, condition: Code): Code =>
  join(first, second, condition, [0x1b]);

export const when = (condition: Code, then: Code, otherwise: Code = []): Code =>
  join(condition, [0x04, VOID], then, otherwise.length > 0 ? [0x05] : [], otherwise, [0x0b]);
/** Runs `body` again for as long as the condition holds, and not at all where it does not. */
export const loopWhile = (condition: Code, body: Code): Code =>
  when(condition, join([0x03, VOID], body, condition, [0x0d, 0, 0x0b]));

/** The larger of two numbers of float32. */
export const larger = (a: Code, b: Code): Code => join(a, b, [0x97]);

/** A number of float32, or four beside each other. */
export interface Lanes {
  type: number;
  zero: Code;
  one: Code;
  load: (address: Code, offset?: number) => Code;
  /** One float32 of memory, in every lane. */
  splat: (address: Code, offset?: number) => Code;
  store: (address: Code, value: Code, offset?: number) => Code;
  add: (a: Code, b: Code) => Code;
  subtract: (a: Code, b: Code) => Code;
  multiply: (a: Code, b: Code) => Code;
  divide: (a: Code, b: Code) => Code;
  squareRoot: (a: Code) => Code;
  /** One number in every lane. */
  fill: (number: Code) => Code;
}

export const single: Lanes = {
  type: 0x7d,
  zero: [0x43, 0, 0, 0, 0],
  one: [0x43, 0, 0, 0x80, 0x3f],
  load: (address, offset = 0) => join(address, [0x2a], at4(offset)),
  splat: (address, offset = 0) => join(address, [0x2a], at4(offset)),
  store: (address, value, offset = 0) => join(address, value, [0x38], at4(offset)),
  add: (a, b) => join(a, b, [0x92]),
  subtract: (a, b) => join(a, b, [0x93]),
  multiply: (a, b) => join(a, b, [0x94]),
  divide: (a, b) => join(a, b, [0x95]),
  squareRoot: (a) => join(a, [0x91]),
  fill: (number) => number,
};

export const four: Lanes = {
  type: 0x7b,
  zero: [0xfd, 0x0c, ...new Array<number>(16).fill(0)],
  one: [0x43, 0, 0, 0x80, 0x3f, 0xfd, 0x13],
  load: (address, offset = 0) => join(address, [0xfd, 0x00], at4(offset)),
  splat: (address, offset = 0) => join(address, [0xfd, 0x09], at4(offset)),
  store: (address, value, offset = 0) => join(address, value, [0xfd, 0x0b], at4(offset)),
  add: (a, b) => join(a, b, [0xfd, 0xe4, 0x01]),
  subtract: (a, b) => join(a, b, [0xfd, 0xe5, 0x01]),
  multiply: (a, b) => join(a, b, [0xfd, 0xe6, 0x01]),
  divide: (a, b) => join(a, b, [0xfd, 0xe7, 0x01]),
  squareRoot: (a) => join(a, [0xfd, 0xe3, 0x01]),
  fill: (number) => join(number, [0xfd, 0x13]),
};

const joined =
  (...operation: readonly number[]) =>
  (a: Code, b: Code): Code =>
    join(a, b, [0xfd, ...operation]);

/** On four lanes alone. */
export const vector = {
  larger: joined(0xe9, 0x01),
  less: joined(0x43),
  /** The bits of the first that are not in the second. */
  without: joined(0x4f),
  /** As integers, by so many bits. */
  shiftLeft: (a: Code, by: Code): Code => join(a, by, [0xfd, 0xab, 0x01]),
  lane: (a: Code, at: number): Code => join(a, [0xfd, 0x1f, at]),
};

/** A number of float32. */
export const number = (value: number): Code => [0x43, ...new Uint8Array(Float32Array.of(value).buffer)];

const I32 = 0x7f;
const section = (id: number, content: Code): Code => [id, ...unsigned(content.length), ...content];
const text = (value: string): Code => [...unsigned(value.length), ...new TextEncoder().encode(value)];

/**
 * A module of one function `run`, which returns nothing, over the memory `host.memory`.
 *
 * @param given types of the arguments
 * @param locals types of the locals behind them
 */
export function moduleOf(
  given: readonly number[],
  locals: readonly number[],
  body: Code,
): Uint8Array<ArrayBuffer> {
  const declared = [...unsigned(locals.length), ...locals.flatMap((type) => [1, type])];
  const code = [...declared, ...body, 0x0b];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, ...unsigned(given.length), ...given, 0]),
    ...section(2, [1, ...text('host'), ...text('memory'), 2, 0, 0]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...text('run'), 0, 0]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ]);
}

type Run = (...values: number[]) => void;

/** The function `run` of such a module over whatever memory tensors lie in at the call. */
export function onMemory(
  memoryNow: () => WebAssembly.Memory,
  make: () => Uint8Array<ArrayBuffer>,
): () => Run {
  let compiled: WebAssembly.Module | null = null;
  let instance: { memory: WebAssembly.Memory; run: Run } | null = null;
  return () => {
    const memory = memoryNow();
    if (instance?.memory !== memory) {
      compiled ??= new WebAssembly.Module(make());
      const { exports } = new WebAssembly.Instance(compiled, { host: { memory } });
      instance = { memory, run: exports.run as Run };
    }
    return instance.run;
  };
}

export const integer = I32;
