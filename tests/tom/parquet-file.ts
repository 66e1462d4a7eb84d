/**
 * A parquet file of one row group, uncompressed, all fields optional: enough to write tables in the shape of published
 * ones. Apache Parquet's format 2 with version 1 data pages; no lists, no dictionaries.
 */

import { parquetOf } from '../../src/export/parquet-writer';
import { binary, i32, integer32, struct, varint, type Field } from '../../src/export/thrift-writer';

type Leaf = 'text' | 'integer' | 'flag';
/** Columns by name; a column of columns is a struct. */
export interface Columns {
  [name: string]: Leaf | Columns;
}

const physicalTypes: Record<Leaf, number> = { flag: 0, integer: 2, text: 6 };
const [OPTIONAL, UTF8, PLAIN, RLE, DATA_PAGE] = [1, 0, 0, 3, 0];

/** @param rows by column; null and what is missing are both written as null */
export function parquetFile(columns: Columns, rows: readonly Record<string, unknown>[]): Blob {
  const written = leavesOf(columns).map(({ path, leaf }) => ({
    path,
    physicalType: physicalTypes[leaf],
    page: Uint8Array.from(pageOf(path, leaf, rows)),
  }));
  return new Blob([parquetOf(written, [root(columns), ...elementsOf(columns)], rows.length)]);
}

function leavesOf(columns: Columns, above: string[] = []): { path: string[]; leaf: Leaf }[] {
  return Object.entries(columns).flatMap(([name, what]) =>
    typeof what === 'string' ? [{ path: [...above, name], leaf: what }] : leavesOf(what, [...above, name]),
  );
}

/** Header and one page: how far each row's path goes without a null, and the values at the ends. */
function pageOf(path: readonly string[], leaf: Leaf, rows: readonly Record<string, unknown>[]): number[] {
  const reached = rows.map((row) => {
    let value: unknown = row;
    for (const [depth, name] of path.entries()) {
      value = (value as Record<string, unknown>)[name] ?? null;
      if (value === null) return { level: depth, value };
    }
    return { level: path.length, value };
  });
  const levels = reached.flatMap(({ level }) => [...varint(1 << 1), level]);
  const values = plainValues(
    leaf,
    reached.map(({ value }) => value).filter((value) => value !== null),
  );
  const body = [...integer32(levels.length), ...levels, ...values];
  const about = struct([
    [1, i32(rows.length)],
    [2, i32(PLAIN)],
    [3, i32(RLE)],
    [4, i32(RLE)],
  ]);
  const header = struct([
    [1, i32(DATA_PAGE)],
    [2, i32(body.length)],
    [3, i32(body.length)],
    [5, about],
  ]);
  return [...header.bytes, ...body];
}

function plainValues(leaf: Leaf, values: readonly unknown[]): number[] {
  if (leaf === 'text') {
    return values.flatMap((value) => {
      const bytes = new TextEncoder().encode(value as string);
      return [...integer32(bytes.length), ...bytes];
    });
  }
  if (leaf === 'integer') {
    return values.flatMap((value) => [
      ...new Uint8Array(new BigInt64Array([BigInt(value as number)]).buffer),
    ]);
  }
  const bits = new Array<number>(Math.ceil(values.length / 8)).fill(0);
  values.forEach((value, index) => {
    if (value === true) bits[index >> 3] |= 1 << (index & 7);
  });
  return bits;
}

function root(columns: Columns): Field {
  return struct([
    [4, binary('schema')],
    [5, i32(Object.keys(columns).length)],
  ]);
}

function elementsOf(columns: Columns): Field[] {
  return Object.entries(columns).flatMap(([name, what]) => {
    if (typeof what !== 'string') {
      const group = struct([
        [3, i32(OPTIONAL)],
        [4, binary(name)],
        [5, i32(Object.keys(what).length)],
      ]);
      return [group, ...elementsOf(what)];
    }
    const converted: [number, Field][] = what === 'text' ? [[6, i32(UTF8)]] : [];
    return [struct([[1, i32(physicalTypes[what])], [3, i32(OPTIONAL)], [4, binary(name)], ...converted])];
  });
}
