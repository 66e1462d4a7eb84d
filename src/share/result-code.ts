/**
 * The result of a run as a text of one to two kB, to paste into a message: class and seat, the settings, the verdict,
 * the figures of at most five evaluations and thinned curves. It contains no answers and no weights.
 *
 *     M2.<FNV-1a of the rest>.<JSON with numbers of about three digits, deflated, in base64url>.
 *
 * A code is untrusted: its content is checked by the schemas of the records.
 */
import * as v from 'valibot';
import { fnv1a } from '../base/digest';
import { MarbleError } from '../base/error';
import { evaluationSchema, type Evaluation } from '../run/record/evaluation';
import type { StepRecord } from '../run/record/events';
import type { RunHistory } from '../run/record/history';
import { newRunRecord } from '../run/record/new-run';
import { listOf, metric } from '../run/record/record-fields';
import { runRecordSchema } from '../run/record/run-record';
import { fromStart } from '../run/verdict/ending';
import { judgesTraces, measuredFigure } from '../run/verdict/measured';
import { toOutcomeTable } from '../run/verdict/outcomes';
import { readJson } from './record-blocks';
import { decodeLink, deflated, encodeLink, inflated } from './settings-link';
import { runName } from './name';

/** Version and hash of a code, with the line breaks and "> " that mail programs insert between any two characters. */
const headPattern = /\bM\d{1,3}[\s>]*\.[\s>]*(?:[0-9a-f][\s>]*){8}\./g;
/** A code to its last character. */
const wholePattern = /^[^.]*\.[^.]*\.[\w\s>-]+\./;
/** A code without its end, to its last line of 20 characters. Words of a message are shorter. */
const cutPattern = /^[^.]*\.[^.]*\.[\s>]*[\w-]*(?:[\s>]+[\w-]{20,})*/;
export const codeLimit = 8000;
/** Characters of a text that holds the codes of some thousand students. */
export const mostText = 4e6;
const mostCodes = 10_000;
const mostPoints = 24;
const mostEvaluations = 5;
/** Limit in steps up to which a reader interpolates the curves. For longer runs it returns only the points in the code. */
const mostSteps = 2000;
/** Metrics of the page's three curves. */
const curves = ['reward', 'think/mean_length', 'trace/validity'];

const contentSchema = v.object({
  ...v.pick(runRecordSchema, ['id', 'class', 'status', 'step']).entries,
  link: v.string(),
  /** Steps of the points, and the values of each curve there. */
  points: listOf(listOf(v.nullable(metric), mostPoints), 1 + curves.length),
  evals: listOf(evaluationSchema, mostEvaluations),
});

function badCode(message: string, cause?: unknown): MarbleError {
  const nextStep = 'Copy the whole code again, or send the run file instead.';
  return new MarbleError('share/bad-code', message, nextStep, { cause });
}

/**
 * True if the page shows both numbers equally. It shows fractions in whole or tenths of a per cent, lengths in whole or tenths
 * of a token and ratios to the start in hundredths. Rounding twice could change the last digit.
 */
const isShownEqually = (one: number, other: number): boolean =>
  [1, 10, 100, 1000].every((scale) => Math.round(scale * one) === Math.round(scale * other));

/** Rounds to three digits, or to as many as the page needs to show a fraction correctly. */
function shortened(value: number): number {
  for (let places = 3; places < 17; places++) {
    const short = Number(value.toPrecision(places));
    if (isShownEqually(value, short)) return short;
  }
  return value;
}

/** Keeps integers, rounds other numbers, and encodes non-finite ones in the form that `readJson` parses. */
function rounded(_: string, part: unknown): unknown {
  if (typeof part !== 'number' || Number.isInteger(part)) return part;
  return Number.isFinite(part) ? shortened(part) : { $number: String(part) };
}

/** Selects at most `most` elements, evenly spaced, with the first and the last. */
function thinned<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length <= most) return list;
  return Array.from(
    { length: most },
    (_, index) => list[Math.round((index * (list.length - 1)) / (most - 1))],
  );
}

/** The figures of an evaluation, without what is long. */
function withoutItems({ report, verdict }: Evaluation, isJudged: boolean): Evaluation {
  const left = { hard: undefined, sampled: undefined };
  // Without the table of hard questions a reader cannot tell which set had a shortcut.
  const shortcutLine = measuredFigure(report, 'shortcutLine') ?? undefined;
  // An empty table tells a reader that no trace was judged.
  const outcomes = judgesTraces(report) ? undefined : toOutcomeTable([]);
  return {
    report: { ...report, ...left, shortcutLine, outcomes, byOrder: {}, heldOut: {}, samples: [], rows: [] },
    ...(verdict && isJudged && { verdict: { ...verdict, missing: [] } }),
  };
}

/**
 * At most `mostEvaluations`, with the verdicts that determine the run's ending: an intermediate one counts only together
 * with the previous one.
 */
function evaluationsOf(history: RunHistory): Evaluation[] {
  const all = fromStart(history.evals);
  const [before, last] = all.slice(-2).map(({ verdict }) => verdict);
  const isOfBoth = last?.provisional === true && before?.ending === last.ending;
  const judged = all.slice(isOfBoth ? -2 : -1);
  const others = thinned(all.slice(0, -judged.length), mostEvaluations - judged.length);
  return [...others.map((one) => withoutItems(one, false)), ...judged.map((one) => withoutItems(one, true))];
}

/** @returns the code of a finished or running run */
export async function resultCode(history: RunHistory): Promise<string> {
  const { record, steps } = history;
  const { id, class: ofClass, status, step } = record;
  const points = thinned(steps, mostPoints);
  const content: v.InferInput<typeof contentSchema> = {
    ...{ id, class: ofClass, status, step },
    link: await encodeLink(record.config),
    points: ['step', ...curves].map((name) => points.map((point) => point[name] ?? null)),
    evals: evaluationsOf(history),
  };
  const packed = await deflated(JSON.stringify(content, rounded));
  return `M2.${hashOf(packed)}.${packed}.`;
}

const hashOf = (packed: string): string => fnv1a(packed).toString(16).padStart(8, '0');

function matchesHash(code: string): boolean {
  const [, hash, packed = ''] = code.split('.');
  return hashOf(packed) === hash;
}

/** A code in a longer text, such as an e-mail. */
export interface FoundCode {
  /** The code without characters inserted by a mail program. */
  code: string;
  /** True if the code matches its hash. */
  isWhole: boolean;
  /** Start of the code in the text. */
  start: number;
  /** End of the code in the text, exclusive. */
  end: number;
}

/**
 * Finds the codes in a text, also wrapped, quoted and truncated ones.
 *
 * @throws MarbleError `share/bad-code` if the text is longer than `mostText` or has too many codes
 */
export function findCodes(text: string): FoundCode[] {
  if (text.length > mostText) throw tooMuch(`${text.length} characters; the limit is ${mostText}`);
  const heads = [...text.matchAll(headPattern)];
  if (heads.length > mostCodes) throw tooMuch(`${heads.length} codes; the limit is ${mostCodes}`);
  return heads.map(({ index: start }, place) => {
    const part = text.slice(start, heads[place + 1]?.index);
    // A code may lack its last dot, and the words after it may end with one.
    const found = [wholePattern, cutPattern].flatMap((pattern): FoundCode[] => {
      const written = pattern.exec(part)?.[0];
      if (written === undefined) return [];
      const code = written.replace(/[\s>]/g, '');
      const isWhole = code.length <= codeLimit && matchesHash(code);
      return [{ code, isWhole, start, end: start + written.length }];
    });
    return found.find(({ isWhole }) => isWhole) ?? found[0];
  });
}

const tooMuch = (what: string): MarbleError =>
  new MarbleError('share/bad-code', `The text has ${what}.`, 'Paste the codes of one class at a time.');

/**
 * @returns the run of a code. Its curves are interpolated linearly to every step, since means over runs need all runs at each
 *   step
 * @throws MarbleError `share/bad-code`, and errors of `decodeLink`
 */
export async function readResultCode(text: string): Promise<RunHistory> {
  const code = text.trim();
  const [mark, , packed] = code.split('.');
  if (mark !== 'M2')
    throw badCode(`This version of Marble reads codes that begin with M2, not with ${mark.slice(0, 10)}.`);
  if (code.length > codeLimit)
    throw badCode(`The code has ${code.length} characters; the limit is ${codeLimit}.`);
  if (!matchesHash(code))
    throw badCode('The code is incomplete or was changed on its way: ask for it again.');
  const { link, points, evals, ...rest } = checked(contentSchema, await contentOf(packed));
  const { config } = await decodeLink(link);
  return {
    record: { ...newRunRecord(config, runName(config), {}), ...rest },
    steps: stepsOf(points, config.steps),
    evals,
    alerts: [],
  };
}

async function contentOf(packed: string): Promise<unknown> {
  try {
    return readJson(await inflated(packed));
  } catch (thrown) {
    throw badCode('The code contains no run.', thrown);
  }
}

function checked<T>(schema: v.GenericSchema<unknown, T>, value: unknown): T {
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  throw badCode(`The content of the code is invalid: ${result.issues[0].message}.`);
}

function stepsOf([at = [], ...columns]: (number | null)[][], most: number): StepRecord[] {
  const places = at.filter((step) => step !== null);
  const isAscending =
    places.length === at.length &&
    places.every((step, index) => Number.isInteger(step) && step > (places[index - 1] ?? -1));
  const [begin = 1] = places;
  const last = places.at(-1) ?? 0;
  if (!isAscending || last > most) throw badCode('The curves of the code are out of order.');
  const records: StepRecord[] = [];
  const drawn =
    last > mostSteps ? places : Array.from({ length: last - begin + 1 }, (_, index) => begin + index);
  for (const step of drawn) {
    const after = places.findIndex((place) => place >= step);
    const before = places[after] === step ? after : after - 1;
    const part = after === before ? 0 : (step - places[before]) / (places[after] - places[before]);
    const record: Record<string, number> = {};
    curves.forEach((name, column) => {
      const [from, to] = [columns[column]?.[before], columns[column]?.[after]];
      if (from != null && to != null) record[name] = from + part * (to - from);
    });
    records.push({ ...record, step });
  }
  return records;
}
