/** Field schemas of a run configuration: valid range, end of the error message, and form text. */
import * as v from 'valibot';

/** Maximum steps of a run, in its settings and in a run file. */
export const MOST_STEPS = 200_000;
/** Maximum total of metric, order and set names. Each is a column of the run's table. */
export const MOST_COLUMNS = 1000;

/** Form text of a field; docs/settings.md describes the effect of each. The model and imported data sets have none: the page selects them elsewhere. */
export interface FieldText {
  label: string;
  /** Unit of the number, such as `tokens`. */
  unit?: string;
  /**
   * Value of an empty field if it is not 0, optionally by data source. An empty choice otherwise uses its algorithm's
   * value.
   */
  empty?: string | Readonly<Record<string, string>>;
  /** Data sources that have the field. Default: all. */
  sources?: readonly string[];
  /** Display names of the values. */
  names?: Readonly<Record<string, string>>;
}

/** Attaches the form text to a schema. The page shows both the text and the range. */
export function told<Value>(text: FieldText | undefined) {
  return v.metadata<Value, { text: FieldText | undefined }>({ text });
}

/** Number in a closed interval. The message completes "must be ...". */
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

/** One of the keys of the text's `names`. */
export function oneNamed<const Names extends Readonly<Record<string, string>>>(
  text: FieldText & { names: Names },
) {
  const names = Object.keys(text.names) as (keyof Names & string)[];
  return v.pipe(v.picklist(names, `one of ${names.join(', ')}`), told<keyof Names & string>(text));
}

export function text(pattern: RegExp, description: string) {
  return v.pipe(v.string(description), v.regex(pattern, description));
}

/** Two texts of this length fit into a link in any script. */
const MOST_CHARACTERS = 700;

/** Free text, possibly empty. */
export function words(text: FieldText) {
  const range = `a text of at most ${MOST_CHARACTERS} characters, none of them a control character but line ends`;
  return v.pipe(
    v.string(range),
    v.regex(/^[\n\P{Cc}]*$/u, range),
    // A link cannot encode a lone surrogate.
    v.regex(/^\P{Cs}*$/u, range),
    v.maxLength(MOST_CHARACTERS, range),
    told<string>({ ...text, empty: '' }),
  );
}

export const yesOrNo = (text: FieldText) =>
  v.pipe(v.boolean('true or false'), told<boolean>({ ...text, names: { false: 'No', true: 'Yes' } }));
