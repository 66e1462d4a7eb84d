/** Thrift's compact protocol, as far as parquet's headers need it. */

export const [I32, I64, BINARY, LIST, STRUCT] = [5, 6, 8, 9, 12];

export interface Field {
  type: number;
  bytes: number[];
}

export function i32(value: number): Field {
  return { type: I32, bytes: varint(value * 2) };
}

export function i64(value: number): Field {
  return { type: I64, bytes: varint(value * 2) };
}

export function binary(value: string): Field {
  const bytes = new TextEncoder().encode(value);
  return { type: BINARY, bytes: [...varint(bytes.length), ...bytes] };
}

export function list(type: number, fields: readonly Field[]): Field {
  const size = fields.length < 15 ? [(fields.length << 4) | type] : [0xf0 | type, ...varint(fields.length)];
  return { type: LIST, bytes: [...size, ...fields.flatMap(({ bytes }) => bytes)] };
}

/** @param fields ascending by id, no two more than 15 apart */
export function struct(fields: readonly [id: number, field: Field][]): Field {
  let last = 0;
  const bytes = fields.flatMap(([id, field]) => {
    const header = ((id - last) << 4) | field.type;
    last = id;
    return [header, ...field.bytes];
  });
  return { type: STRUCT, bytes: [...bytes, 0] };
}

/** @param value not negative */
export function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(Math.floor(value / 128))];
}

export function integer32(value: number): number[] {
  return [...new Uint8Array(new Uint32Array([value]).buffer)];
}
