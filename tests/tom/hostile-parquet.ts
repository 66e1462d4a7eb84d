/** Parquet files of one row group, written by hand so that a header, a footer or a run can say what is not so. */

/** A value in Thrift's compact protocol. */
interface Written {
  type: number;
  bytes: number[];
}

function varint(value: number): number[] {
  const bytes = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return [...bytes, rest];
}

const i32 = (value: number): Written => ({ type: 5, bytes: varint(2 * value) });
const i64 = (value: number): Written => ({ type: 6, bytes: varint(2 * value) });

function text(value: string): Written {
  const bytes = new TextEncoder().encode(value);
  return { type: 8, bytes: [...varint(bytes.length), ...bytes] };
}

function list(values: readonly Written[], size = values.length): Written {
  const type = values[0]?.type ?? 12;
  return { type: 9, bytes: [0xf0 | type, ...varint(size), ...values.flatMap(({ bytes }) => bytes)] };
}

/** @param fields by number, ascending, none 15 after the one before */
function struct(fields: Record<number, Written>): Written {
  let before = 0;
  const bytes = Object.entries(fields).flatMap(([number, { type, bytes: written }]) => {
    const step = Number(number) - before;
    before = Number(number);
    return [(step << 4) | type, ...written];
  });
  return { type: 12, bytes: [...bytes, 0] };
}

const u32 = (value: number): number[] => [...new Uint8Array(new Uint32Array([value]).buffer)];

/** Levels or indices: one value, repeated. */
export function run(length: number, value: number): number[] {
  return [...varint(length * 2), value];
}

/** Runs with their length before them, as levels stand in a page. */
export function levels(...runs: number[]): number[] {
  return [...u32(runs.length), ...runs];
}

export function plainTexts(values: readonly string[]): number[] {
  return values.flatMap((value) => {
    const bytes = new TextEncoder().encode(value);
    return [...u32(bytes.length), ...bytes];
  });
}

export interface Page {
  /** How many values its header says that it has. */
  count: number;
  bytes: number[];
  /** By default plain values (0); 8 for indices of a dictionary. */
  encoding?: number;
  isDictionary?: boolean;
  /** How many bytes its header says that it unpacks to. */
  size?: number;
}

export function textPage(values: readonly string[]): Page {
  return { count: values.length, bytes: [...levels(...run(values.length, 1)), ...plainTexts(values)] };
}

/** One row with a list of texts: repetition 0, then 1; every element there. */
export function listPage(texts: string[]): Page {
  const repetitions = levels(...run(1, 0), ...run(texts.length - 1, 1));
  const definitions = levels(...run(texts.length, 3));
  return { count: texts.length, bytes: [...repetitions, ...definitions, ...plainTexts(texts)] };
}

/** An optional column of texts, or a list of them where `isList`. */
export interface WrittenColumn {
  pages: Page[];
  isList?: boolean;
}

function pageBytes({
  count,
  bytes,
  encoding = 0,
  isDictionary = false,
  size = bytes.length,
}: Page): number[] {
  const detail: Record<number, Written> = isDictionary
    ? { 7: struct({ 1: i32(count), 2: i32(0) }) }
    : { 5: struct({ 1: i32(count), 2: i32(encoding), 3: i32(3), 4: i32(3) }) };
  const header = struct({ 1: i32(isDictionary ? 2 : 0), 2: i32(size), 3: i32(bytes.length), ...detail });
  return [...header.bytes, ...bytes];
}

const optional = i32(1);
const utf8 = { 6: i32(0) };

function schemaOf(name: string, { isList = false }: WrittenColumn): Written[] {
  if (!isList) return [struct({ 1: i32(6), 3: optional, 4: text(name), ...utf8 })];
  return [
    struct({ 3: optional, 4: text(name), 5: i32(1), 6: i32(3) }),
    struct({ 3: i32(2), 4: text('list'), 5: i32(1) }),
    struct({ 1: i32(6), 3: optional, 4: text('element'), ...utf8 }),
  ];
}

export interface Lies {
  /** Rows of the row group. */
  groupRows?: number;
  /** Elements that the list of row groups says it has. */
  groups?: number;
  /** Compressed bytes of every column. */
  columnBytes?: number;
}

export function parquetFile(
  rows: number,
  columns: Record<string, WrittenColumn>,
  { groupRows = rows, groups = 1, columnBytes }: Lies = {},
): Blob {
  const body = [...new TextEncoder().encode('PAR1')];
  const written = Object.entries(columns).map(([name, column]) => {
    const start = body.length;
    const bytes = column.pages.flatMap(pageBytes);
    for (const byte of bytes) body.push(byte);
    const path = column.isList === true ? [name, 'list', 'element'] : [name];
    const size = columnBytes ?? bytes.length;
    const meta = struct({
      1: i32(6),
      2: list([i32(0)]),
      3: list(path.map(text)),
      4: i32(0),
      5: i64(rows),
      6: i64(size),
      7: i64(size),
      9: i64(start),
    });
    return struct({ 2: i64(start), 3: meta });
  });
  const schema = [
    struct({ 4: text('schema'), 5: i32(Object.keys(columns).length) }),
    ...Object.entries(columns).flatMap(([name, column]) => schemaOf(name, column)),
  ];
  const group = struct({ 1: list(written), 2: i64(body.length), 3: i64(groupRows) });
  const footer = struct({ 1: i32(1), 2: list(schema), 3: i64(rows), 4: list([group], groups) }).bytes;
  const end = [...u32(footer.length), ...new TextEncoder().encode('PAR1')];
  return new Blob([new Uint8Array([...body, ...footer, ...end])]);
}
