/**
 * What a parquet file says of its own sizes, checked before the library that reads it believes them: the footer, and of
 * every page that will be read its header, the runs of its levels and indices, and the lengths of its texts. 485 bytes
 * can else stand for a billion values.
 */
import type { FileMetaData, RowGroup, SchemaElement } from 'hyparquet';
import { checkRowCount, type Budget } from './limits';
import { readThrift, readVarint, type ThriftStruct } from './thrift';

const MOST_FOOTER_BYTES = 1024 * 1024;
/** `PAR1`, the last four bytes of every parquet file, as a little-endian number. */
const MAGIC = 0x31524150;
const MOST_COLUMNS = 1000;
/** A packed run is filled up to a whole number of groups: what may stand behind the last value of a page. */
const MOST_PADDING = 512;

type Column = NonNullable<RowGroup['columns'][number]['meta_data']>;
type Unpack = (packed: Uint8Array, unpacked: Uint8Array) => void;

/** @throws Error where the footer is larger or deeper than that of any file of rows */
export function checkFooter(file: ArrayBuffer): void {
  const view = new DataView(file);
  if (file.byteLength < 12 || view.getUint32(file.byteLength - 4, true) !== MAGIC)
    throw new Error('it does not end in PAR1: its end is missing');
  const length = view.getUint32(file.byteLength - 8, true);
  if (length > MOST_FOOTER_BYTES) throw new Error(`its metadata has ${length} bytes`);
  const { struct } = readThrift(view, file.byteLength - 8 - length);
  const schema = struct.get(2);
  if (!Array.isArray(schema) || schema.length > MOST_COLUMNS) throw new Error('it has too many columns');
}

/**
 * Goes through the pages of some columns.
 *
 * @param columns names of top-level columns that will be read
 * @param budget what the values of the pages may cost
 * @param unpack snappy's
 * @throws Error naming what is wrong; MarbleError `tom/too-many-rows`, `tom/file-too-big`
 */
export function checkPages(
  file: ArrayBuffer,
  metadata: FileMetaData,
  columns: readonly string[],
  budget: Budget,
  unpack: Unpack,
): void {
  checkRowCount(metadata.row_groups.reduce((sum, { num_rows }) => sum + countOf(num_rows), 0));
  let packed = 0;
  for (const group of metadata.row_groups) {
    for (const { meta_data: column } of group.columns) {
      if (column === undefined || !columns.includes(column.path_in_schema[0])) continue;
      packed += countOf(column.total_compressed_size);
      if (packed > file.byteLength) throw new Error('its columns are larger than the file');
      checkColumn(file, column, pathOf(metadata.schema, column), countOf(group.num_rows), budget, unpack);
    }
  }
}

function countOf(value: unknown): number {
  const count = typeof value === 'bigint' ? Number(value) : value;
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
    throw new Error(`a size in it is ${String(value)}`);
  }
  return count;
}

/** The elements of the schema from a top-level column down to its leaf. */
function pathOf(schema: readonly SchemaElement[], { path_in_schema: names }: Column): SchemaElement[] {
  const path: SchemaElement[] = [];
  let at = 0;
  for (const name of names) {
    let left = schema[at].num_children ?? 0;
    for (at += 1; left > 0 && schema[at]?.name !== name; left -= 1) at += sizeOf(schema, at);
    if (left === 0) throw new Error(`its schema has no column ${names.join('.').slice(0, 60)}`);
    path.push(schema[at]);
  }
  if (path.some(({ logical_type: logical }) => logical?.type === 'VARIANT')) {
    throw new Error('it has a column of type VARIANT');
  }
  if (schema[0].repetition_type === 'REPEATED' || schema[at].num_children) {
    throw new Error('its schema is not that of a table');
  }
  return path;
}

/** Elements of the schema that an element and all below it take. */
function sizeOf(schema: readonly SchemaElement[], at: number): number {
  let size = 1;
  for (let children = schema[at].num_children ?? 0; children > 0; children -= 1) {
    if (at + size >= schema.length) throw new Error('its schema is cut off');
    size += sizeOf(schema, at + size);
  }
  return size;
}

/** What is known of the values of a column before a page is opened. */
interface Values {
  type: Column['type'];
  /** Bytes of each value of fixed length. */
  width: number;
  maxDefinition: number;
  maxRepetition: number;
}

function checkColumn(
  file: ArrayBuffer,
  column: Column,
  path: readonly SchemaElement[],
  rows: number,
  budget: Budget,
  unpack: Unpack,
): void {
  const start = countOf(column.dictionary_page_offset || column.data_page_offset);
  const length = countOf(column.total_compressed_size);
  if (start + length > file.byteLength) throw new Error('a column lies behind the end of the file');
  const view = new DataView(file, start, length);
  const isFlat = path.length === 1 && path[0].repetition_type !== 'REPEATED';
  const values: Values = {
    type: column.type,
    width: path.at(-1)!.type_length ?? 0,
    maxDefinition: path.filter(({ repetition_type: type }) => type !== 'REQUIRED').length,
    maxRepetition: path.filter(({ repetition_type: type }) => type === 'REPEATED').length,
  };
  let seen = 0;
  for (let offset = 0; offset < length - 1 && (!isFlat || seen < rows);) {
    const { struct: header, end } = readThrift(view, offset);
    const packed = bytesOf(view, end, sizeIn(header, 3));
    offset = end + packed.byteLength;
    const size = sizeIn(header, 2);
    const count = sizeIn(detailOf(header), 1);
    budget.spend(count * path.length, size);
    const kind = header.get(1);
    if (kind !== 2) seen += count;
    if (isFlat && seen > rows) throw new Error(`a column has ${seen} values in ${rows} rows`);
    if (kind === 3) {
      checkSecondPage(detailOf(header), packed, size, column.codec, values, unpack);
      continue;
    }
    const page = unpacked(packed, size, column.codec, unpack);
    if (kind === 2) checkPlain(page, 0, count, values);
    else checkFirstPage(detailOf(header), page, values);
  }
}

function bytesOf(view: DataView, offset: number, length: number): Uint8Array {
  if (offset + length > view.byteLength) throw new Error('a page is cut off');
  return new Uint8Array(view.buffer, view.byteOffset + offset, length);
}

function sizeIn(header: ThriftStruct, field: number): number {
  return countOf(header.get(field));
}

/** By the kind of a page: data, dictionary, and data of version 2. */
const detailFields: ReadonlyMap<unknown, number> = new Map([
  [0, 5],
  [2, 7],
  [3, 8],
]);

/** The part of a page's header that is about its values. */
function detailOf(header: ThriftStruct): ThriftStruct {
  const detail = header.get(detailFields.get(header.get(1)) ?? -1);
  if (!(detail instanceof Map)) throw new Error('a page is of no known kind');
  return detail;
}

function unpacked(packed: Uint8Array, size: number, codec: Column['codec'], unpack: Unpack): DataView {
  let bytes = packed;
  if (codec === 'SNAPPY') {
    bytes = new Uint8Array(size);
    unpack(packed, bytes);
  } else if (codec !== 'UNCOMPRESSED') {
    throw new Error(`it is compressed by ${codec}`);
  }
  if (bytes.byteLength !== size) throw new Error('a page is shorter than it says');
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A data page of version 1: levels and values are packed together. */
function checkFirstPage(detail: ThriftStruct, page: DataView, values: Values): void {
  const count = sizeIn(detail, 1);
  let offset = 0;
  let nulls = 0;
  for (const level of [values.maxRepetition, values.maxDefinition]) {
    if (level === 0) continue;
    const length = page.getUint32(offset, true);
    nulls = count - checkRuns(page, offset + 4, bitsFor(level), count, level); // the last ones decide
    offset += 4 + length;
  }
  const encoding = detail.get(2);
  const isIndex = encoding !== 0 && values.type !== 'BOOLEAN';
  const width = isIndex ? page.getUint8(offset) : 1;
  if (encoding === 0) checkPlain(page, offset, count - nulls, values);
  else if (!isIndex) checkIndices(page, offset + 4, 1, count - nulls, encoding);
  // Of a dictionary of one value no indices are written.
  else if (width > 0) checkIndices(page, offset + 1, width, count - nulls, encoding);
}

/** A data page of version 2: the levels stand before the packed values. */
function checkSecondPage(
  detail: ThriftStruct,
  bytes: Uint8Array,
  size: number,
  codec: Column['codec'],
  values: Values,
  unpack: Unpack,
): void {
  const [count, nulls, definitions, repetitions] = [1, 2, 5, 6].map((field) => sizeIn(detail, field));
  if (nulls > count) throw new Error('a page has more empty values than values');
  const levels = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (values.maxRepetition > 0) checkRuns(levels, 0, bitsFor(values.maxRepetition), count, -1);
  if (values.maxDefinition > 0) checkRuns(levels, repetitions, bitsFor(values.maxDefinition), count, -1);
  const offset = repetitions + (values.maxDefinition > 0 ? definitions : 0);
  const rest = bytesOf(levels, offset, bytes.byteLength - offset);
  const isPacked = detail.get(7) !== false;
  const page = unpacked(
    rest,
    isPacked ? size - definitions - repetitions : rest.byteLength,
    isPacked ? codec : 'UNCOMPRESSED',
    unpack,
  );
  const encoding = detail.get(4);
  if (encoding === 0) checkPlain(page, 0, count - nulls, values);
  else if (encoding === 3) checkIndices(page, 4, 1, count - nulls, encoding);
  else checkIndices(page, 1, page.getUint8(0), count - nulls, encoding);
}

/** PLAIN_DICTIONARY, RLE and RLE_DICTIONARY: what pandas, Polars and DuckDB write unless told otherwise. */
function checkIndices(page: DataView, offset: number, width: number, count: number, encoding: unknown): void {
  if (encoding !== 2 && encoding !== 3 && encoding !== 8) {
    throw new Error(`it has values in encoding ${String(encoding)}, neither plain nor by dictionary`);
  }
  checkRuns(page, offset, width, count, -1);
}

const fixedWidths: Partial<Record<Column['type'], number>> = {
  BOOLEAN: 1 / 8,
  INT32: 4,
  INT64: 8,
  INT96: 12,
  FLOAT: 4,
  DOUBLE: 8,
};

/** Texts with their lengths before them, which must end where the page does, or values of one width. */
function checkPlain(page: DataView, start: number, count: number, { type, width }: Values): void {
  let offset = start;
  if (type === 'BYTE_ARRAY') {
    for (let index = 0; index < count; index += 1) offset += 4 + page.getUint32(offset, true);
  } else {
    offset += count * (fixedWidths[type] ?? width);
  }
  if (offset > page.byteLength) throw new Error('a page holds fewer values than it says');
}

function bitsFor(level: number): number {
  return 32 - Math.clz32(level);
}

/**
 * Goes through runs, each either one value repeated or several packed together, until there are as many as the page says.
 *
 * @returns how many of the values are `counted`
 */
function checkRuns(view: DataView, start: number, width: number, count: number, counted: number): number {
  if (width > 32) throw new Error('an index in it is too wide');
  const place = { offset: start };
  let seen = 0;
  let found = 0;
  while (seen < count) {
    const run = readVarint(view, place);
    const isPacked = (run & 1) === 1;
    const length = isPacked ? (run >>> 1) * 8 : run >>> 1;
    if (length > count - seen + MOST_PADDING) throw new Error('a run in it is longer than its page');
    const used = Math.min(length, count - seen);
    if (isPacked) {
      for (let index = 0; counted >= 0 && index < used; index += 1) {
        if (bitsAt(view, place.offset, index * width, width) === counted) found += 1;
      }
      place.offset += (length * width) / 8;
    } else {
      if (counted >= 0 && bitsAt(view, place.offset, 0, width) === counted) found += used;
      place.offset += Math.ceil(width / 8);
    }
    seen += length;
  }
  return found;
}

/** A number of up to 16 bits, the lowest first. */
function bitsAt(view: DataView, offset: number, bit: number, width: number): number {
  let value = 0;
  for (let index = 0; index < width; index += 1) {
    const at = bit + index;
    value |= ((view.getUint8(offset + (at >> 3)) >> (at & 7)) & 1) << index;
  }
  return value;
}
