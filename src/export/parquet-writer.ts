/**
 * The rows of an export as a parquet file: one row group, uncompressed (the zip around it is not), version 1 data pages,
 * every field required. A list has one element in each row, which is all that a prompt of one message needs.
 *
 * Format: Apache Parquet's `parquet.thrift` and its encodings. Left out: dictionaries, statistics, nulls, longer lists.
 */
import {
  BINARY,
  binary,
  I32,
  i32,
  i64,
  integer32,
  list,
  STRUCT,
  struct,
  varint,
  type Field,
} from './thrift-writer';

export type Column = { kind: 'text' | 'integer' } | { kind: 'struct' | 'list'; columns: Columns };
export type Columns = Record<string, Column>;

interface Leaf {
  /** In the file, the two levels of a list included. */
  path: string[];
  /** In a row. */
  fields: string[];
  kind: 'text' | 'integer';
  inList: boolean;
}

const MAGIC = new TextEncoder().encode('PAR1');
const physicalTypes = { integer: 2, text: 6 } as const;
const [REQUIRED, REPEATED] = [0, 2];
const [UTF8, LIST_TYPE] = [0, 3];
const [PLAIN, RLE, DATA_PAGE] = [0, 3, 0];

/** @param rows by column; an element of a list stands in its row as an object */
export function parquetFile(columns: Columns, rows: readonly object[]): Uint8Array<ArrayBuffer> {
  const written = leavesOf(columns).map((leaf) => ({
    path: leaf.path,
    physicalType: physicalTypes[leaf.kind],
    page: pageOf(leaf, rows),
  }));
  const root = groupElement('schema', null, Object.keys(columns).length);
  return parquetOf(written, [root, ...elementsOf(columns)], rows.length);
}

/** A column without columns of its own, as it stands in the file. */
export interface WrittenColumn {
  path: readonly string[];
  /** Of `parquet.thrift`. */
  physicalType: number;
  /** Header and one page. */
  page: Uint8Array;
}

/** @param schema the root and its elements, depth first */
export function parquetOf(
  columns: readonly WrittenColumn[],
  schema: readonly Field[],
  rows: number,
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [MAGIC];
  let offset = MAGIC.length;
  const chunks = columns.map(({ path, physicalType, page }) => {
    const at = offset;
    parts.push(page);
    offset += page.length;
    const about = struct([
      [1, i32(physicalType)],
      [2, list(I32, [i32(PLAIN), i32(RLE)])],
      [3, list(BINARY, path.map(binary))],
      [4, i32(0)],
      [5, i64(rows)],
      [6, i64(page.length)],
      [7, i64(page.length)],
      [9, i64(at)],
    ]);
    return struct([
      [2, i64(at)],
      [3, about],
    ]);
  });
  const group = struct([
    [1, list(STRUCT, chunks)],
    [2, i64(offset)],
    [3, i64(rows)],
  ]);
  const footer = struct([
    [1, i32(1)],
    [2, list(STRUCT, schema)],
    [3, i64(rows)],
    [4, list(STRUCT, [group])],
  ]).bytes;
  return joined([...parts, Uint8Array.from(footer), Uint8Array.from(integer32(footer.length)), MAGIC]);
}

function leavesOf(
  columns: Columns,
  above: Pick<Leaf, 'path' | 'fields' | 'inList'> = { path: [], fields: [], inList: false },
): Leaf[] {
  return Object.entries(columns).flatMap(([name, column]) => {
    const fields = [...above.fields, name];
    const path = [...above.path, name];
    switch (column.kind) {
      case 'struct':
        return leavesOf(column.columns, { ...above, path, fields });
      case 'list':
        return leavesOf(column.columns, { path: [...path, 'list', 'element'], fields, inList: true });
      case 'text':
      case 'integer':
        return [{ path, fields, kind: column.kind, inList: above.inList }];
    }
  });
}

/** Header and one page. */
function pageOf({ fields, kind, inList }: Leaf, rows: readonly object[]): Uint8Array {
  const cells = rows.map((row) =>
    fields.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], row),
  );
  // Each row begins anew (0), and its element is there (1).
  const levels = inList ? [...levelRun(rows.length, 0), ...levelRun(rows.length, 1)] : [];
  const values = kind === 'text' ? textValues(cells as string[]) : integerValues(cells as number[]);
  const size = levels.length + values.length;
  const about = struct([
    [1, i32(rows.length)],
    [2, i32(PLAIN)],
    [3, i32(RLE)],
    [4, i32(RLE)],
  ]);
  const header = struct([
    [1, i32(DATA_PAGE)],
    [2, i32(size)],
    [3, i32(size)],
    [5, about],
  ]);
  return joined([Uint8Array.from(header.bytes), Uint8Array.from(levels), values]);
}

/** A run of one level in the run-length encoding, its size before it. */
function levelRun(count: number, level: number): number[] {
  const run = [...varint(count * 2), level];
  return [...integer32(run.length), ...run];
}

function textValues(texts: readonly string[]): Uint8Array {
  const encoder = new TextEncoder();
  return joined(
    texts.flatMap((text) => {
      const bytes = encoder.encode(text);
      return [Uint8Array.from(integer32(bytes.length)), bytes];
    }),
  );
}

function integerValues(values: readonly number[]): Uint8Array {
  return new Uint8Array(BigInt64Array.from(values, (value) => BigInt(value)).buffer);
}

function groupElement(name: string, repetition: number | null, children: number, converted?: number): Field {
  return struct([
    ...(repetition === null ? [] : [[3, i32(repetition)] as [number, Field]]),
    [4, binary(name)],
    [5, i32(children)],
    ...(converted === undefined ? [] : [[6, i32(converted)] as [number, Field]]),
  ]);
}

function elementsOf(columns: Columns): Field[] {
  return Object.entries(columns).flatMap(([name, column]) => {
    switch (column.kind) {
      case 'struct':
        return [
          groupElement(name, REQUIRED, Object.keys(column.columns).length),
          ...elementsOf(column.columns),
        ];
      case 'list':
        return [
          groupElement(name, REQUIRED, 1, LIST_TYPE),
          groupElement('list', REPEATED, 1),
          groupElement('element', REQUIRED, Object.keys(column.columns).length),
          ...elementsOf(column.columns),
        ];
      case 'text':
      case 'integer':
        return [
          struct([
            [1, i32(physicalTypes[column.kind])],
            [3, i32(REQUIRED)],
            [4, binary(name)],
            ...(column.kind === 'text' ? [[6, i32(UTF8)] as [number, Field]] : []),
          ]),
        ];
    }
  });
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
