/** Kinds of fields of a run configuration: what each may be, how a refusal ends, and what a form says of it. */
import * as v from 'valibot';

/** Steps that a run may have: in its settings, in the log of another program and in a run's file. */
export const MOST_STEPS = 200_000;
/** Names that its metrics, orders and sets may have together: each is a column of its table. */
export const MOST_COLUMNS = 1000;

/** What a form says of a field. One without a text is chosen elsewhere on the page: the model and imported data sets. */
export interface FieldText {
  label: string;
  explain: string;
  /** Of its number: `tokens`. */
  unit?: string;
  /** The value of an empty field, where that is not 0, also by the data source; of a choice, else, what its algorithm has. */
  empty?: string | Readonly<Record<string, string>>;
  /** The data sources that have it; all where left out. */
  sources?: readonly string[];
  /** The one way of training that has it; both where left out. */
  training?: string;
  /** What its values are called. */
  names?: Readonly<Record<string, string>>;
}

/** The text stands beside the range: the page writes both from here. */
export function told<Value>(text: FieldText | undefined) {
  return v.metadata<Value, { text: FieldText | undefined }>({ text });
}

/** A number of the closed interval; the message is the end of "must be ...". */
export function real(low: number, high: number, text?: FieldText) {
  const range = `a number from ${low} to ${high}`;
  return v.pipe(v.number(range), v.minValue(low, range), v.maxValue(high, range), told<number>(text));
}

export function integer(low: number, high: number, text?: FieldText) {
  const range = `a whole number from ${low} to ${high}`;
  return v.pipe(
    v.number(range),
    v.integer(range),
    v.minValue(low, range),
    v.maxValue(high, range),
    told<number>(text),
  );
}

export function oneOf<const Names extends readonly string[]>(...names: Names) {
  return v.picklist(names, `one of ${names.join(', ')}`);
}

/** One of the names of a text. */
export function oneNamed<const Names extends Readonly<Record<string, string>>>(
  text: FieldText & { names: Names },
) {
  const names = Object.keys(text.names) as (keyof Names & string)[];
  return v.pipe(v.picklist(names, `one of ${names.join(', ')}`), told<keyof Names & string>(text));
}

export function text(pattern: RegExp, description: string) {
  return v.pipe(v.string(description), v.regex(pattern, description));
}

/** Two of them of any script fit into a link. */
const MOST_CHARACTERS = 700;

/** Free text; may be empty. */
export function words(text: FieldText) {
  const range = `a text of at most ${MOST_CHARACTERS} characters, none of them a control character but line ends`;
  return v.pipe(
    v.string(range),
    v.regex(/^[\n\P{Cc}]*$/u, range),
    // A lone surrogate cannot be written into a link.
    v.regex(/^\P{Cs}*$/u, range),
    v.maxLength(MOST_CHARACTERS, range),
    told<string>({ ...text, empty: '' }),
  );
}

export const yesOrNo = (text: FieldText) =>
  v.pipe(v.boolean('true or false'), told<boolean>({ ...text, names: { false: 'No', true: 'Yes' } }));
