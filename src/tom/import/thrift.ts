/**
 * Thrift's compact protocol as parquet writes its footer and page headers: read here first, because the parquet library
 * believes the sizes that stand in it. Nothing is made that takes more than the bytes it is read from.
 */

/** Fields by number. Lists and structs of which parquet makes no use here are gone through as well. */
export type ThriftStruct = Map<number, ThriftValue>;
type ThriftValue = number | bigint | boolean | Uint8Array | ThriftValue[] | ThriftStruct;

interface Reader {
  view: DataView;
  offset: number;
  /** Values that may still be read. */
  left: number;
}

const MOST_VALUES = 200_000;
const DEEPEST = 16;

/**
 * @returns the struct, and where the bytes behind it begin
 * @throws Error for one that is cut off, nested too deep, or of more values than a parquet file has
 */
export function readThrift(view: DataView, offset: number): { struct: ThriftStruct; end: number } {
  const reader: Reader = { view, offset, left: MOST_VALUES };
  const struct = readStruct(reader, 0);
  return { struct, end: reader.offset };
}

function readStruct(reader: Reader, depth: number): ThriftStruct {
  if (depth > DEEPEST) throw new Error('its metadata is nested too deep');
  const struct: ThriftStruct = new Map();
  let field = 0;
  for (;;) {
    const byte = readByte(reader);
    const type = byte & 15;
    if (type === 0) return struct;
    const step = byte >> 4;
    field = step === 0 ? readSigned(reader) : field + step;
    struct.set(field, type === 1 || type === 2 ? type === 1 : readValue(reader, type, depth));
  }
}

function readValue(reader: Reader, type: number, depth: number): ThriftValue {
  reader.left -= 1;
  if (reader.left < 0) throw new Error('its metadata holds too many values');
  switch (type) {
    case 1:
    case 2:
    case 3:
      return readByte(reader);
    case 4:
    case 5:
      return readSigned(reader);
    case 6:
      return readSigned64(reader);
    case 7: {
      const value = reader.view.getFloat64(reader.offset, true);
      reader.offset += 8;
      return value;
    }
    case 8: {
      const length = readVarint(reader.view, reader);
      const bytes = remaining(reader, length);
      reader.offset += length;
      return bytes;
    }
    case 9: {
      const byte = readByte(reader);
      const size = byte >> 4 === 15 ? readVarint(reader.view, reader) : byte >> 4;
      remaining(reader, size); // every element takes a byte at least
      return Array.from({ length: size }, () => readValue(reader, byte & 15, depth + 1));
    }
    case 12:
      return readStruct(reader, depth + 1);
    default:
      throw new Error('its metadata is no thrift');
  }
}

function remaining({ view, offset }: Reader, length: number): Uint8Array {
  if (length < 0 || offset + length > view.byteLength) throw new Error('its metadata is cut off');
  return new Uint8Array(view.buffer, view.byteOffset + offset, length);
}

function readByte(reader: Reader): number {
  return reader.view.getUint8(reader.offset++);
}

/** Seven bits a byte, the lowest first; at most 32 bits, as a signed number. */
export function readVarint(view: DataView, place: { offset: number }): number {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = view.getUint8(place.offset++);
    value |= (byte & 127) << shift;
    if (byte < 128) return value;
  }
  throw new Error('a number in it is too long');
}

function readSigned(reader: Reader): number {
  const value = readVarint(reader.view, reader);
  return (value >>> 1) ^ -(value & 1);
}

function readSigned64(reader: Reader): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = readByte(reader);
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return (value >> 1n) ^ -(value & 1n);
  }
  throw new Error('a number in it is too long');
}
