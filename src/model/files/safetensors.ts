/**
 * The safetensors format (huggingface/safetensors, README "Format"): eight bytes with the header's length, little endian; the
 * header, a JSON object from tensor names to `{dtype, shape, data_offsets}`; then the tensors' bytes. This reader enforces the
 * rules of the official reader before it allocates memory for any tensor: the header size is limited, dtypes are known, the size
 * equals shape times dtype, and the tensors cover the data without holes, overlaps or trailing bytes. A repeated name therefore
 * causes a hole.
 */
import { MarbleError } from '../../base/error';
import { isRecord, shown } from '../../base/untrusted';
import type { ByteSource } from '../source/byte-source';

const BYTES_PER_ELEMENT = {
  BOOL: 1,
  U8: 1,
  I8: 1,
  F8_E4M3: 1,
  F8_E5M2: 1,
  U16: 2,
  I16: 2,
  F16: 2,
  BF16: 2,
  U32: 4,
  I32: 4,
  F32: 4,
  U64: 8,
  I64: 8,
  F64: 8,
} as const;

export type TensorDtype = keyof typeof BYTES_PER_ELEMENT;

/** A tensor of a file. */
export interface StoredTensor {
  name: string;
  dtype: TensorDtype;
  shape: readonly number[];
  /** Size in bytes. */
  size: number;
  /**
   * Reads its bytes, or its bytes [begin, end). The result is a copy at offset 0 of a buffer whose length is padded with zeros
   * to a multiple of 4, as WebGPU's writes require.
   */
  read: (begin?: number, end?: number) => Promise<Uint8Array<ArrayBuffer>>;
}

/** Number of elements of a tensor. */
export function elementsOf({ shape }: { shape: readonly number[] }): number {
  return shape.reduce((product, length) => product * length, 1);
}

/** Tensors of a model by their names. */
export type Checkpoint = ReadonlyMap<string, StoredTensor>;

/** An entry of a header; `begin` and `end` are byte offsets in the data. */
type Entry = Omit<StoredTensor, 'size' | 'read'> & { begin: number; end: number };

/** Limit in bytes on the header. That of a model of 1024 layers has two million. */
const HEADER_LIMIT = 10_000_000;

function refuse(kind: string, message: string, cause?: unknown): MarbleError {
  return new MarbleError(
    `model/safetensors-${kind}`,
    message,
    'The file is damaged or not a safetensors file: fetch it again, or save the model again with safetensors.',
    { cause },
  );
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function readEntry(name: string, value: unknown, dataSize: number): Entry {
  if (!isRecord(value)) {
    throw refuse('entry', `The header's entry for ${shown(name)} is not an object.`);
  }
  const unknown = Object.keys(value).find((key) => !['dtype', 'shape', 'data_offsets'].includes(key));
  if (unknown !== undefined) {
    throw refuse('entry', `The header's entry for ${shown(name)} has an unknown field ${shown(unknown)}.`);
  }
  const { dtype, shape, data_offsets: offsets } = value;
  if (typeof dtype !== 'string' || !Object.hasOwn(BYTES_PER_ELEMENT, dtype)) {
    throw refuse('dtype', `Tensor ${shown(name)} has the unknown dtype ${shown(dtype)}.`);
  }
  if (!Array.isArray(shape) || !shape.every(isCount)) {
    throw refuse('shape', `Tensor ${shown(name)} has a shape that is not a list of whole numbers.`);
  }
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount)) {
    throw refuse('offsets', `Tensor ${shown(name)} has data_offsets that are not two whole numbers.`);
  }
  const [begin, end] = offsets;
  if (begin > end) {
    throw refuse('offsets', `Tensor ${shown(name)} begins at byte ${begin} and ends at ${end}.`);
  }
  if (end > dataSize) {
    throw refuse(
      'truncated',
      `The file is cut: tensor ${shown(name)} ends at byte ${end} and the data at ${dataSize}.`,
    );
  }
  const known = dtype as TensorDtype;
  const size = BYTES_PER_ELEMENT[known] * elementsOf({ shape });
  if (size !== end - begin) {
    throw refuse(
      'size',
      `Tensor ${shown(name)} of shape [${shape.join(', ')}] in ${known} needs ${size} bytes and has ${end - begin}.`,
    );
  }
  return { name, dtype: known, shape, begin, end };
}

/** Checks that the tensors, in order of their offsets, cover the data exactly. */
function checkCover(entries: readonly Entry[], dataSize: number): void {
  const inOrder = [...entries].sort((a, b) => a.begin - b.begin || a.end - b.end);
  let reached = 0;
  for (const { name, begin, end } of inOrder) {
    if (begin !== reached) {
      const what =
        begin < reached ? 'overlaps the tensor before it' : `leaves a hole of ${begin - reached} bytes`;
      throw refuse('offsets', `Tensor ${shown(name)} ${what}.`);
    }
    reached = end;
  }
  if (reached !== dataSize) {
    throw refuse('trailing', `${dataSize - reached} bytes follow the last tensor.`);
  }
}

function padded(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = Math.ceil(bytes.byteLength / 4) * 4;
  if (bytes.buffer instanceof ArrayBuffer && bytes.byteOffset === 0 && bytes.buffer.byteLength === length) {
    return bytes as Uint8Array<ArrayBuffer>;
  }
  const copy = new Uint8Array(new ArrayBuffer(length), 0, bytes.byteLength);
  copy.set(bytes);
  return copy;
}

/**
 * Reads and checks a file's header without reading any tensor.
 *
 * @throws MarbleError `model/safetensors-...`: truncated, header-size, json, entry, dtype, shape, size, offsets,
 *   trailing
 */
export async function openSafetensors(source: ByteSource): Promise<Checkpoint> {
  if (source.size < 8) {
    throw refuse('truncated', `The file has ${source.size} bytes; a safetensors file has at least 8.`);
  }
  const prefix = await source.read(0, 8);
  const length = new DataView(prefix.buffer, prefix.byteOffset, 8).getBigUint64(0, true);
  if (length > BigInt(HEADER_LIMIT)) {
    throw refuse('header-size', `The header claims ${length} bytes; at most ${HEADER_LIMIT} are read.`);
  }
  const dataBegin = 8 + Number(length);
  if (dataBegin > source.size) {
    throw refuse('truncated', `The file is cut: its header has ${length} bytes and the file ${source.size}.`);
  }
  const entries = parseHeader(await source.read(8, dataBegin), source.size - dataBegin);
  return new Map(
    entries.map(({ begin: first, end: last, ...entry }) => {
      const size = last - first;
      const read: StoredTensor['read'] = async (begin = 0, end = size) =>
        padded(await source.read(dataBegin + first + begin, dataBegin + first + end));
      return [entry.name, { ...entry, size, read }];
    }),
  );
}

function parseHeader(headerBytes: Uint8Array, dataSize: number): Entry[] {
  let text: string;
  let json: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(headerBytes);
    json = JSON.parse(text);
  } catch (cause) {
    throw refuse('json', 'The header is not JSON in UTF-8.', cause);
  }
  if (!isRecord(json) || !text.startsWith('{')) {
    throw refuse('json', 'The header is not a JSON object from its first byte on.');
  }
  delete json.__metadata__; // texts without a use here
  const entries = Object.entries(json).map(([name, value]) => readEntry(name, value, dataSize));
  checkCover(entries, dataSize);
  return entries;
}

/** A tensor to write. Its bytes are those of `data`, in the machine's little-endian order. */
export interface TensorToWrite {
  name: string;
  dtype: TensorDtype;
  shape: readonly number[];
  data: Uint8Array | Uint16Array | Float32Array;
}

/** Writes tensors, in the given order, to a Blob. The header is padded with spaces to a multiple of 8. */
export function writeSafetensors(tensors: readonly TensorToWrite[]): Blob {
  const header: [string, unknown][] = [['__metadata__', { format: 'pt' }]];
  let offset = 0;
  for (const { name, dtype, shape, data } of tensors) {
    header.push([name, { dtype, shape, data_offsets: [offset, (offset += data.byteLength)] }]);
  }
  const json = new TextEncoder().encode(JSON.stringify(Object.fromEntries(header)));
  const padded = Math.ceil(json.byteLength / 8) * 8;
  const start = new Uint8Array(8 + padded).fill(0x20);
  new DataView(start.buffer).setBigUint64(0, BigInt(padded), true);
  start.set(json, 8);
  const parts = tensors.map(({ data }) => data as Uint8Array<ArrayBuffer> | Float32Array<ArrayBuffer>);
  return new Blob([start, ...parts], { type: 'application/octet-stream' });
}
