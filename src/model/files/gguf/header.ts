/**
 * The header of a GGUF file (ggml, docs/gguf.md): magic, version and two counts; fields, each a name, a type and a value;
 * tensors, each a name, dimensions (the innermost first), a type and an offset. The tensors' bytes follow at the next
 * multiple of `general.alignment`.
 *
 * Marble does not use `@huggingface/gguf` (0.4.6), since it fetches addresses itself and accepts a file that is truncated in
 * its header, with zeros as its last tensors.
 */
import { MarbleError } from '../../../base/error';
import { shown } from '../../../base/untrusted';
import type { ByteSource } from '../../source/byte-source';
import { elementsOf } from '../safetensors';
import { blockType, typeName, typesRead } from './tensor-types';

export interface GgufTensor {
  name: string;
  /** The outermost dimension first, as in safetensors. */
  shape: number[];
  /** Id of the GGML type. */
  type: number;
  /** Byte offsets from the file's start. */
  begin: number;
  end: number;
}

export interface GgufHeader {
  fields: ReadonlyMap<string, unknown>;
  tensors: GgufTensor[];
}

const FIRST_READ = 2 ** 20;
const LARGEST_HEADER = 2 ** 26;
const MOST_FIELDS = 4096;
const MOST_TENSORS = 65_536;
const MOST_VALUES = 4_194_304;
const MOST_DIMENSIONS = 4;

export function refuse(kind: string, message: string): MarbleError {
  return new MarbleError(
    `model/gguf-${kind}`,
    message,
    'Fetch the file again, or choose a llama, qwen2 or qwen3 model in one GGUF file, quantised to Q8_0, Q6_K, Q5_K or Q4_K.',
  );
}

/** @throws MarbleError `model/gguf-...`: magic, version, count, truncated, duplicate, type, shape, value */
export async function readGgufHeader(source: ByteSource): Promise<GgufHeader> {
  let bytes = new Uint8Array(0);
  for (let length = FIRST_READ; ; length *= 4) {
    const end = Math.min(length, LARGEST_HEADER, source.size);
    const longer = new Uint8Array(end);
    longer.set(bytes);
    longer.set(await source.read(bytes.length, end), bytes.length);
    bytes = longer;
    try {
      return parseHeader(bytes, source.size);
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown; // a RangeError means that `bytes` is too short
    }
    if (end === source.size) throw refuse('truncated', `The file is cut within its header, at byte ${end}.`);
    if (end === LARGEST_HEADER) throw refuse('count', `The header has more than ${end} bytes.`);
  }
}

/** @throws RangeError if `bytes` does not contain the whole header */
function parseHeader(bytes: Uint8Array<ArrayBuffer>, fileSize: number): GgufHeader {
  const view = new DataView(bytes.buffer);
  let at = 0;
  const next = (size: number): number => (at += size) - size;
  const u32 = (): number => view.getUint32(next(4), true);
  const u64 = (): number => Number(view.getBigUint64(next(8), true));
  const count = (most: number, what: string, value = u64()): number => {
    if (value > most) throw refuse('count', `The header claims ${value} ${what}; at most ${most} are read.`);
    return value;
  };
  const text = (): string => {
    const start = next(count(LARGEST_HEADER, 'bytes of a text'));
    if (at > bytes.length) throw new RangeError();
    return new TextDecoder().decode(bytes.subarray(start, at));
  };
  const LIST = 9;
  const values: Record<number, () => unknown> = {
    0: () => view.getUint8(next(1)),
    1: () => view.getInt8(next(1)),
    2: () => view.getUint16(next(2), true),
    3: () => view.getInt16(next(2), true),
    4: u32,
    5: () => view.getInt32(next(4), true),
    6: () => view.getFloat32(next(4), true),
    7: () => view.getUint8(next(1)) !== 0,
    8: text,
    10: u64,
    11: () => Number(view.getBigInt64(next(8), true)),
    12: () => view.getFloat64(next(8), true),
  };
  const valueOf = (name: string, type: number): unknown => {
    if (type === LIST) {
      const inner = u32();
      if (inner === LIST) throw refuse('value', `Field ${shown(name)} is a list of lists.`);
      const list: unknown[] = [];
      for (let left = count(MOST_VALUES, 'values of a list'); left > 0; left--)
        list.push(valueOf(name, inner));
      return list;
    }
    if (!Object.hasOwn(values, type))
      throw refuse('value', `Field ${shown(name)} is of unknown type ${type}.`);
    return values[type]();
  };

  if (u32() !== 0x46554747)
    throw refuse('magic', 'The file does not start with "GGUF": it is not a GGUF file.');
  const version = u32();
  if (version !== 2 && version !== 3) throw refuse('version', `GGUF version ${version}; 2 and 3 are read.`);
  const tensorCount = count(MOST_TENSORS, 'tensors');
  const fieldCount = count(MOST_FIELDS, 'fields');
  const fields = new Map<string, unknown>();
  for (let index = 0; index < fieldCount; index++) {
    const name = text();
    if (fields.has(name)) throw refuse('duplicate', `Field ${shown(name)} occurs twice.`);
    fields.set(name, valueOf(name, u32()));
  }
  const listed = Array.from({ length: tensorCount }, () => ({
    name: text(),
    shape: Array.from({ length: count(MOST_DIMENSIONS, 'dimensions of a tensor', u32()) }, u64).reverse(),
    type: u32(),
    offset: u64(),
  }));
  const alignment = fields.get('general.alignment') ?? 32;
  if (typeof alignment !== 'number' || !Number.isInteger(alignment) || alignment < 1) {
    throw refuse('value', `general.alignment is ${shown(alignment)}.`);
  }
  const dataBegin = Math.ceil(at / alignment) * alignment;
  const tensors = listed.map(({ name, shape, type, offset }): GgufTensor => {
    const block = blockType(type);
    if (block === null) {
      const known = typesRead.join(', ');
      throw refuse('type', `Tensor ${shown(name)} is of type ${typeName(type)}; Marble reads ${known}.`);
    }
    const elements = elementsOf({ shape });
    const columns = shape.at(-1) ?? 0;
    if (elements < 1 || !Number.isSafeInteger(elements * 4) || columns % block.weights !== 0) {
      const blocks = `rows of ${block.weights} (${typeName(type)})`;
      throw refuse(
        'shape',
        `Tensor ${shown(name)} of shape [${shape.join(', ')}] does not divide into ${blocks}.`,
      );
    }
    const begin = dataBegin + offset;
    const end = begin + (elements / block.weights) * block.bytes;
    if (end > fileSize) {
      throw refuse(
        'truncated',
        `The file is truncated: tensor ${shown(name)} ends at byte ${end}, but the file has ${fileSize} bytes.`,
      );
    }
    return { name, shape, type, begin, end };
  });
  return { fields, tensors };
}
