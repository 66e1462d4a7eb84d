/**
 * What a parquet file says of its own sizes, checked before the library that reads it makes room for them: the footer, and
 * of every page that will be read its header and the runs of its levels and indices. 485 bytes can else stand for a
 * billion values. What the library reads from the bytes themselves it bounds by them.
 */
import type { FileMetaData, parquetSchema, RowGroup, SchemaElement, SchemaTree } from 'hyparquet';
import { checkRowCount, type Budget } from './limits';
import { readThrift, readVarint, type ThriftStruct } from './thrift';

const MOST_FOOTER_BYTES = 1024 * 1024;
/** `PAR1`, the last four bytes of every parquet file, as a little-endian number. */
const MAGIC = 0x31524150;
const MOST_COLUMNS = 1000;
/** A packed run is filled up to a whole number of groups: what may stand behind the last value of a page. */
const MOST_PADDING = 512;
/** PLAIN, PLAIN_DICTIONARY, RLE and RLE_DICTIONARY: what pandas, Polars and DuckDB write unless told otherwise. */
const ENCODINGS: readonly unknown[] = [0, 2, 3, 8];

type Column = NonNullable<RowGroup['columns'][number]['meta_data']>;

/** What of the library is used here, which is fetched where a parquet file comes. */
export interface ParquetLibrary {
  parquetSchema: typeof parquetSchema;
  snappyUncompress: (packed: Uint8Array, unpacked: Uint8Array) => void;
}

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
 * @throws Error naming what is wrong; MarbleError `tom/too-many-rows`, `tom/file-too-big`
 */
export function checkPages(
  file: ArrayBuffer,
  metadata: FileMetaData,
  columns: readonly string[],
  budget: Budget,
  { parquetSchema: readSchema, snappyUncompress }: ParquetLibrary,
): void {
  checkRowCount(metadata.row_groups.reduce((sum, { num_rows }) => sum + countOf(num_rows), 0));
  const schema = readSchema(metadata);
  let packed = 0;
  for (const group of metadata.row_groups) {
    for (const { meta_data: column } of group.columns) {
      if (column === undefined || !columns.includes(column.path_in_schema[0])) continue;
      packed += countOf(column.total_compressed_size);
      if (packed > file.byteLength) throw new Error('its columns are larger than the file');
      checkColumn(file, column, pathOf(schema, column), countOf(group.num_rows), budget, snappyUncompress);
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
function pathOf(schema: SchemaTree, { path_in_schema: names }: Column): SchemaElement[] {
  let at = schema;
  const path = names.map((name) => {
    const child = at.children.find(({ element }) => element.name === name);
    if (child === undefined) throw new Error(`its schema has no column ${names.join('.').slice(0, 60)}`);
    at = child;
    return child.element;
  });
  if (path.some(({ logical_type: logical }) => logical?.type === 'VARIANT')) {
    throw new Error('it has a column of type VARIANT');
  }
  if (schema.element.repetition_type === 'REPEATED' || at.children.length > 0) {
    throw new Error('its schema is not that of a table');
  }
  return path;
}

function checkColumn(
  file: ArrayBuffer,
  column: Column,
  path: readonly SchemaElement[],
  rows: number,
  budget: Budget,
  unpack: ParquetLibrary['snappyUncompress'],
): void {
  const start = countOf(column.dictionary_page_offset || column.data_page_offset);
  const view = new DataView(file, start, countOf(column.total_compressed_size));
  const isFlat = path.length === 1 && path[0].repetition_type !== 'REPEATED';
  const maxRepetition = path.filter(({ repetition_type: type }) => type === 'REPEATED').length;
  const maxDefinition = path.filter(({ repetition_type: type }) => type !== 'REQUIRED').length;
  const unpacked = (packed: DataView, size: number, isPacked = true): DataView => {
    if (!isPacked || column.codec === 'UNCOMPRESSED') return packed;
    if (column.codec !== 'SNAPPY') throw new Error(`it is compressed by ${column.codec}`);
    const bytes = new Uint8Array(size);
    unpack(new Uint8Array(packed.buffer, packed.byteOffset, packed.byteLength), bytes);
    return new DataView(bytes.buffer);
  };
  let seen = 0;
  for (let offset = 0; offset < view.byteLength - 1 && (!isFlat || seen < rows);) {
    const { struct: header, end } = readThrift(view, offset);
    const [kind, size, length] = [header.get(1), sizeIn(header, 2), sizeIn(header, 3)];
    const packed = bytesIn(view, end, length);
    offset = end + length;
    const detail = detailOf(header);
    const count = sizeIn(detail, 1);
    budget.spend(count * path.length, size);
    if (kind === DICTIONARY_PAGE) continue;
    seen += count;
    if (isFlat && seen > rows) throw new Error(`a column has ${seen} values in ${rows} rows`);
    const isFirst = kind === DATA_PAGE;
    const encoding = detail.get(isFirst ? 2 : 4);
    if (!ENCODINGS.includes(encoding))
      throw new Error('it has values in an encoding neither plain nor by dictionary');
    // In version 1 levels and values are packed together, the length of each level before it; in version 2 the levels
    // stand before the packed values, their lengths in the header.
    let page = isFirst ? unpacked(packed, size) : packed;
    let values = 0;
    for (const [level, field] of [
      [maxRepetition, 6],
      [maxDefinition, 5],
    ] as const) {
      // prettier-ignore
      const bytes = isFirst ? (level === 0 ? 0 : page.getUint32(values, true)) : sizeIn(detail, field);
      if (level > 0) checkRuns(page, values + (isFirst ? 4 : 0), bitsFor(level), count);
      values += bytes + (isFirst && level > 0 ? 4 : 0);
    }
    if (!isFirst) {
      page = unpacked(bytesIn(page, values, length - values), size - values, detail.get(7) !== false);
      values = 0;
    }
    if (encoding === 0) continue;
    if (column.type === 'BOOLEAN') checkRuns(page, values + 4, 1, count);
    else if (page.getUint8(values) > 0) checkRuns(page, values + 1, page.getUint8(values), count);
  }
}

function bytesIn(view: DataView, offset: number, length: number): DataView {
  if (length < 0 || offset + length > view.byteLength) throw new Error('a page is cut off');
  return new DataView(view.buffer, view.byteOffset + offset, length);
}

function sizeIn(header: ThriftStruct, field: number): number {
  return countOf(header.get(field));
}

const [DATA_PAGE, DICTIONARY_PAGE] = [0, 2];
/** By the kind of a page: data, dictionary, and data of version 2. */
const detailFields: ReadonlyMap<unknown, number> = new Map([
  [DATA_PAGE, 5],
  [DICTIONARY_PAGE, 7],
  [3, 8],
]);

/** The part of a page's header that is about its values. */
function detailOf(header: ThriftStruct): ThriftStruct {
  const detail = header.get(detailFields.get(header.get(1)) ?? -1);
  if (!(detail instanceof Map)) throw new Error('a page is of no known kind');
  return detail;
}

function bitsFor(level: number): number {
  return 32 - Math.clz32(level);
}

/**
 * Goes through runs, each either one value repeated or several packed together, until there are as many as the page says;
 * where some are empty, to its end.
 */
function checkRuns(view: DataView, start: number, width: number, count: number): void {
  if (width > 32) throw new Error('an index in it is too wide');
  const place = { offset: start };
  for (let seen = 0; seen < count && place.offset < view.byteLength;) {
    const run = readVarint(view, place);
    const isPacked = (run & 1) === 1;
    const length = isPacked ? (run >>> 1) * 8 : run >>> 1;
    if (length > count - seen + MOST_PADDING) throw new Error('a run in it is longer than its page');
    place.offset += isPacked ? (length * width) / 8 : Math.ceil(width / 8);
    seen += length;
  }
}
