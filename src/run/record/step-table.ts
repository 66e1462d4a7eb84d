/**
 * Step records of a run that grows. As an object a record takes about 720 bytes in Chromium, and each of its numbers is an
 * object too. Here it takes 8 bytes a metric, and a curve is read without a look-up of the name in every record.
 */
import type { StepRecord } from './events';

/** Step records in order: an array or a table. */
export type StepRows = Pick<readonly StepRecord[], 'length' | 'at' | 'slice'> & Iterable<StepRecord>;

/** Names of a record's metrics, and their places. Records of a run have few different sets of names. */
interface Shape {
  names: readonly string[];
  places: ReadonlyMap<string, number>;
}

/** Records in a block. */
const BLOCK = 128;

export class StepTable implements StepRows {
  length = 0;
  /** Values of the records, one after another. Arrays of doubles have 8 bytes a value. */
  private blocks: number[][] = [];
  /** Place of each record's first value in its block. */
  private firsts: number[] = [];
  private shapes: Shape[] = [];
  private known = new Map<string, Shape>();

  constructor(records: Iterable<StepRecord> = []) {
    for (const record of records) this.push(record);
  }

  push(record: StepRecord): void {
    const shape = this.shapeOf(record);
    if (this.length % BLOCK === 0) {
      const full = this.blocks.pop();
      if (full !== undefined) this.blocks.push(full.slice()); // without the room that a growing array reserves
      this.blocks.push([]);
    }
    const block = this.blocks[this.blocks.length - 1];
    this.firsts.push(block.length);
    this.shapes.push(shape);
    // A record from damaged storage may hold anything.
    for (const value of Object.values(record ?? {})) block.push(typeof value === 'number' ? value : NaN);
    this.length += 1;
  }

  /** Removes the last record. Copies the lists, because a snapshot shares them. */
  pop(): void {
    const last = this.blocks[this.blocks.length - 1].slice(0, this.firsts[this.length - 1]);
    this.length -= 1;
    this.firsts = this.firsts.slice(0, -1);
    this.shapes = this.shapes.slice(0, -1);
    this.blocks = this.blocks.slice(0, -1);
    if (this.length % BLOCK !== 0) this.blocks.push(last);
  }

  at(index: number): StepRecord | undefined {
    const place = index < 0 ? index + this.length : index;
    return place >= 0 && place < this.length ? this.recordAt(place) : undefined;
  }

  slice(from = 0, to = this.length): StepRecord[] {
    const placeOf = (index: number): number =>
      Math.min(this.length, Math.max(0, index < 0 ? index + this.length : index));
    const records: StepRecord[] = [];
    for (let place = placeOf(from); place < placeOf(to); place += 1) records.push(this.recordAt(place));
    return records;
  }

  *[Symbol.iterator](): Generator<StepRecord, void, void> {
    for (let place = 0; place < this.length; place += 1) yield this.recordAt(place);
  }

  /** Values of one metric, undefined for records without it. */
  column(name: string): (number | undefined)[] {
    const values = new Array<number | undefined>(this.length);
    let last: Shape | null = null;
    let offset: number | undefined;
    for (let place = 0; place < this.length; place += 1) {
      const shape = this.shapes[place];
      if (shape !== last) offset = shape.places.get(name);
      last = shape;
      values[place] = offset === undefined ? undefined : this.valueAt(place, offset);
    }
    return values;
  }

  /** The present records as a new object, which does not change with the table. It shares the values. */
  snapshot(): StepTable {
    const copy = new StepTable();
    copy.length = this.length;
    copy.blocks = this.blocks;
    copy.firsts = this.firsts;
    copy.shapes = this.shapes;
    return copy;
  }

  private valueAt(place: number, offset: number): number {
    return this.blocks[Math.floor(place / BLOCK)][this.firsts[place] + offset];
  }

  private recordAt(place: number): StepRecord {
    const { names } = this.shapes[place];
    return Object.fromEntries(names.map((name, offset) => [name, this.valueAt(place, offset)])) as StepRecord;
  }

  private shapeOf(record: StepRecord | null): Shape {
    const names = Object.keys(record ?? {});
    // Most records have the names of the one before, and a comparison takes less time than a key.
    const last = this.shapes.at(-1);
    if (last?.names.length === names.length && names.every((name, place) => name === last.names[place]))
      return last;
    const key = JSON.stringify(names);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const shape = { names, places: new Map(names.map((name, place) => [name, place])) };
    this.known.set(key, shape);
    return shape;
  }
}

/** Values of one metric, undefined for records without it. */
export function columnOf(rows: StepRows, name: string): (number | undefined)[] {
  return rows instanceof StepTable ? rows.column(name) : Array.from(rows, (record) => record[name]);
}
