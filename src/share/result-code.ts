/**
 * The result of a run as a text of about 1 kB, to paste into a message: class, seat and guess, the settings, the verdict, the figures of
 * at most five evaluations and thinned curves. It contains no answers and no weights.
 *
 *     M1.<FNV-1a of the text>.<the text, deflated, in base64url>
 *
 * The text has one line for the run, one for its curves, and one for each evaluation. The numbers of an evaluation, to about
 * three digits, are in the order of `reportFields` and `verdictFields`. A code is untrusted: its content is checked by the
 * schemas of the records.
 */
import * as v from 'valibot';
import { breather } from '../base/waits';
import { fnv1a } from '../base/digest';
import { MarbleError } from '../base/error';
import { evaluationSchema, type Evaluation, type Verdict } from '../run/record/evaluation';
import type { StepRecord } from '../run/record/events';
import type { RunHistory } from '../run/record/history';
import { newRunRecord } from '../run/record/new-run';
import { runRecordSchema } from '../run/record/run-record';
import { seatWords } from '../run/sweep/seats';
import { guesses } from '../run/verdict/guess';
import { fromStart, oldEnding, type Ending } from '../run/verdict/ending';
import { decodeLink, deflated, encodeLink, inflated, inflatedPart } from './settings-link';
import { runName } from './name';

/** Version and hash of a code, with the line breaks and "> " that mail programs insert between any two characters. */
const headPattern = /\bM\d{1,3}[\s>]*\.[\s>]*(?:[0-9a-f][\s>]*){8}\./g;
/** Next piece after the head, up to the next space or line break. */
const piecePattern = /[\s>]*([\w-]+)/gy;
/** Limit on the pieces of a code, more than any mail program produces. */
const mostPieces = 100;
/** Minimum characters of a line of a wrapped code. Words of a message are shorter. */
const shortestLine = 20;
export const codeLimit = 4000;
const mostPoints = 24;
const mostEvaluations = 5;
/** Limit in steps up to which a reader interpolates the curves. For longer runs it returns only the points in the code. */
const mostSteps = 2000;
/** Metrics of the page's three curves. */
const curves = ['reward', 'think/mean_length', 'trace/validity'];

const partsOf = (name: string, parts: string): string[] => parts.split(' ').map((part) => `${name}.${part}`);
const accuracy = (name: string): string[] => partsOf(name, 'count accuracy low high');
const estimate = (name: string): string[] => partsOf(name, 'value low high');
const paired = (name: string): string[] => [
  ...partsOf(name, 'count before now'),
  ...estimate(`${name}.change`),
];
const ratio = (name: string): string[] => [
  ...paired(name),
  ...estimate(`${name}.start`),
  ...estimate(`${name}.ratio`),
];

/** Numbers of a report that a code contains. The other fields of the report are empty. */
const reportFields = [
  ...'step shortcutLine formatRate meanLength meanThinkLength emptyThinkFraction traceValidity'.split(' '),
  ...'traceCoverage faithful faithfulWrong rightAnswerWrongTrace closeThinkProbability'.split(' '),
  ...['overall', 'belief', 'factual', 'shortcutRight', 'shortcutWrong'].flatMap(accuracy),
];
const flags = [
  ...partsOf('conditions', 'faithfulAtStart aboveChance silent wrongHalved faithfulHalved'),
  ...partsOf('conditions', 'wrongKept faithfulKept wrongHigher'),
];
const verdictFields = [
  ...['step', 'provisional', 'ending', 'length.before', 'length.now', ...estimate('length.ratio'), ...flags],
  ...['belief', 'faithful', 'right', 'factual', 'sampled'].flatMap(paired),
  ...partsOf('fate', 'faithful partial false empty cut'),
  ...[...ratio('wrong'), 'wrong.chance', ...ratio('faithfulWrong')],
];
/** Additional field at the end, for a verdict that does not compare with step 0. */
const startField = ['against'];
/** By their places, which codes keep: the fifth is that of codes from before the endings after it had names. */
const writtenEndings: readonly (Ending | typeof oldEnding)[] = [
  'thinks better',
  'keeps thinking',
  'goes on writing, no longer thinks',
  'stops thinking',
  oldEnding,
  'thinks less',
  'right answers, thinking no longer true',
  'had little to lose',
  'too close to call',
  'not measured',
];
const isFlag = (path: string): boolean => path === 'provisional' || flags.includes(path);

function badCode(message: string, cause?: unknown): MarbleError {
  const nextStep = 'Copy the whole code again, or send the run file instead.';
  return new MarbleError('share/bad-code', message, nextStep, { cause });
}

/**
 * True if the page shows both numbers equally. It shows fractions in whole or tenths of a per cent, and rounding twice could
 * change the last digit.
 */
const isShownEqually = (one: number, other: number): boolean =>
  Math.abs(one) >= 1 || [100, 1000].every((scale) => Math.round(scale * one) === Math.round(scale * other));

/** Rounds to three digits, or to as many as the page needs to show a fraction correctly. */
function shortened(value: number): number {
  for (let places = 3; places < 17; places++) {
    const short = Number(value.toPrecision(places));
    if (isShownEqually(value, short)) return short;
  }
  return value;
}

/** Writes a value: integers in full, flags as 1 or 0, an ending as its index, NaN and Infinity as `n`. */
function digits(value: unknown): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'string') return String((writtenEndings as readonly string[]).indexOf(value));
  if (typeof value !== 'number') return '';
  if (!Number.isFinite(value)) return 'n';
  if (Number.isInteger(value)) return String(value);
  return String(shortened(value)).replace(/^(-?)0\./, '$1.');
}

function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | null)?.[name], value);
}

const writtenAs = (value: unknown, fields: readonly string[]): string =>
  fields.map((path) => digits(at(value, path))).join();

const writtenVerdict = (verdict: Verdict): string =>
  writtenAs(verdict, verdict.against === undefined ? verdictFields : [...verdictFields, ...startField]);

function valueFrom(text: string, path: string): unknown {
  if (text === '') return null;
  if (isFlag(path)) return text === '1';
  return path === 'ending' ? writtenEndings[Number(text)] : Number(text);
}

/** Converts a line to a nested record. A part without any number is null. */
function readFields(line: readonly string[], fields: readonly string[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  fields.forEach((path, index) => {
    const names = path.split('.');
    const last = names.pop()!;
    const text = line[index] ?? '';
    let place = record;
    for (const name of names) {
      if (text !== '') place[name] ??= {};
      place[name] ??= null;
      if (place[name] === null) return;
      place = place[name] as Record<string, unknown>;
    }
    place[last] = valueFrom(text, path);
  });
  return record;
}

/** Selects at most `most` elements, evenly spaced, with the first and the last. */
function thinned<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length <= most) return list;
  return Array.from(
    { length: most },
    (_, index) => list[Math.round((index * (list.length - 1)) / (most - 1))],
  );
}

/** @returns the code of a finished or running run */
export async function resultCode({ record, steps, evals }: RunHistory): Promise<string> {
  const { id, config, status, step, class: ofClass, guess } = record;
  const points = thinned(steps, mostPoints);
  const lines = [
    JSON.stringify([
      ...[id, await encodeLink(config), ofClass?.seat ?? '', status, step],
      ...(ofClass === undefined ? [] : [ofClass.link, ...(guess === undefined ? [] : [guess])]),
    ]),
    ['step', ...curves].map((name) => points.map((point) => digits(point[name])).join()).join(';'),
    ...thinned(fromStart(evals), mostEvaluations).map(({ report, verdict }, index, all) => {
      const reportText = writtenAs(report, reportFields);
      return verdict === undefined || index < all.length - 1
        ? reportText
        : `${reportText};${writtenVerdict(verdict)}`;
    }),
  ];
  const text = lines.join('\n');
  return `M1.${hashOf(text)}.${await deflated(text)}`;
}

const hashOf = (text: string): string => fnv1a(text).toString(16).padStart(8, '0');

/** @returns the decompressed text, or null if it does not match the hash */
async function textOf(hash: string, packed: string): Promise<string | null> {
  try {
    const text = await inflated(packed);
    return hashOf(text) === hash ? text : null;
  } catch {
    return null;
  }
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

/** Limit on the attempts to read a code in one text. A code has one, or one for each line that a mail program made of it. */
const mostAttempts = 10_000;
/** Characters of a text that holds the codes of some thousand students. */
export const mostText = 4e6;
const mostCodes = 10_000;
/** Characters read between two pauses, in which the page can draw and answer. */
const workBetweenPauses = 300_000;
/** Characters that take as long to read as an attempt that fails at once. */
const attemptWork = 500;

/**
 * Finds the codes in a text, also wrapped, quoted and truncated ones. Beyond a number of attempts that no class needs,
 * codes count as broken.
 *
 * @throws MarbleError `share/bad-code` if the text is longer than `mostText` or has too many codes
 */
export async function findCodes(text: string): Promise<FoundCode[]> {
  if (text.length > mostText) throw tooMuch(`${text.length} characters; the limit is ${mostText}`);
  const heads = [...text.matchAll(headPattern)];
  if (heads.length > mostCodes) throw tooMuch(`${heads.length} codes; the limit is ${mostCodes}`);
  const found: FoundCode[] = [];
  const attempts: Attempts = { left: mostAttempts, breathe: breather(workBetweenPauses) };
  for (const [index, head] of heads.entries()) {
    found.push(await codeAt(text.slice(head.index, heads[index + 1]?.index), head, attempts));
  }
  return found;
}

const tooMuch = (what: string): MarbleError =>
  new MarbleError('share/bad-code', `The text has ${what}.`, 'Paste the codes of one class at a time.');

interface Attempts {
  left: number;
  breathe: (characters: number) => Promise<void>;
}

/**
 * Appends pieces until the hash matches, since neither spaces nor line breaks mark the end of a code.
 *
 * @param text - from the head to the next one
 */
async function codeAt(
  text: string,
  { 0: head, index: start }: RegExpExecArray,
  attempts: Attempts,
): Promise<FoundCode> {
  const bare = head.replace(/[\s>]/g, '');
  const [, hash] = bare.split('.');
  let packed = '';
  let end = head.length;
  let broken = { code: bare, end };
  const pieces = text.slice(end).matchAll(piecePattern);
  for (let count = 0; count < mostPieces; count++) {
    const { value: piece, done } = pieces.next();
    if (done === true || bare.length + packed.length + piece[1].length > codeLimit) break;
    const letters = piece[1];
    const isLine = packed === '' || letters.length >= shortestLine;
    const isPart = end === broken.end && isLine;
    packed += letters;
    end += piece[0].length;
    const code = bare + packed;
    const isTried = attempts.left > 0;
    attempts.left -= 1;
    await attempts.breathe(piece[0].length + (isTried ? packed.length + attemptWork : 0));
    if (isTried && (await textOf(hash, packed)) !== null)
      return { code, isWhole: true, start, end: start + end };
    if (isPart) broken = { code, end };
  }
  return { code: broken.code, isWhole: false, start, end: start + broken.end };
}

/**
 * @returns the run of a code. Its curves are interpolated linearly to every step, since means over runs need all runs at each
 *   step
 * @throws MarbleError `share/bad-code`, and errors of `decodeLink`
 */
export async function readResultCode(code: string): Promise<RunHistory> {
  const [mark, hash, packed] = code.trim().split('.');
  if (mark !== 'M1')
    throw badCode(`This version of Marble reads codes that begin with M1, not with ${mark.slice(0, 10)}.`);
  if (code.length > codeLimit)
    throw badCode(`The code has ${code.length} characters; the limit is ${codeLimit}.`);
  const text = await textOf(hash, packed ?? '');
  if (text === null) {
    const whose = await studentOfPart(packed ?? '');
    throw badCode(
      `The code is incomplete or was changed on its way: ask ${whose === null ? '' : `${seatWords(whose)} `}for it again.`,
    );
  }
  const [head, points = '', ...evaluations] = text.split('\n');
  const [id, link, seat, status, step, classLink, guess] = headOf(head);
  const { config } = await decodeLink(link);
  // A code of an earlier version has no link of its class.
  const ofClass = classLink === undefined ? { notes: seat } : { class: { link: classLink, seat } };
  const record = { ...newRunRecord(config, runName(config), {}), id, status, step, guess, ...ofClass };
  return {
    record: checked(runRecordSchema, record),
    steps: stepsOf(points, config.steps),
    evals: evaluations.slice(0, mostEvaluations).map(evaluationOf),
    alerts: [],
  };
}

/** Start of the line for the run, up to its third text, the student. */
const headPart = /^\["[^"\\]*","[^"\\]*",("(?:[^"\\]|\\.)*"),/;

/** Reads the student's name near the start of a damaged code; null if it cannot be read. */
async function studentOfPart(packed: string): Promise<string | null> {
  const [, quoted] = headPart.exec(await inflatedPart(packed)) ?? [];
  try {
    const student = JSON.parse(quoted ?? '""') as string;
    return /^[^\p{C}\ufffd]{1,60}$/u.test(student) ? student : null;
  } catch {
    return null;
  }
}

const headSchema = v.strictTuple([
  ...([v.string(), v.string(), v.string(), v.string(), v.number()] as const),
  ...([v.optional(v.string()), v.optional(v.picklist(guesses))] as const),
]);

function headOf(line: string): v.InferOutput<typeof headSchema> {
  try {
    return checked(headSchema, JSON.parse(line));
  } catch (thrown) {
    throw badCode('The code contains no run.', thrown);
  }
}

function checked<T>(schema: v.GenericSchema<unknown, T>, value: unknown): T {
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  throw badCode(`The content of the code is invalid: ${result.issues[0].message}.`);
}

const readVerdict = (line: readonly string[]): Record<string, unknown> =>
  readFields(line, line.length > verdictFields.length ? [...verdictFields, ...startField] : verdictFields);

function evaluationOf(line: string): Evaluation {
  const [report, verdict] = line.split(';').map((part) => part.split(','));
  return checked(evaluationSchema, {
    report: { ...readFields(report, reportFields), byOrder: {}, heldOut: {}, samples: [], rows: [] },
    ...(verdict === undefined ? {} : { verdict: { ...readVerdict(verdict), missing: [] } }),
  });
}

function stepsOf(line: string, most: number): StepRecord[] {
  const [at, ...columns] = line.split(';').map((column) => column.split(',').map((text) => (text === '' ? null : Number(text)))); // prettier-ignore
  const places = at.filter((step) => step !== null);
  const isAscending = places.every(
    (step, index) => Number.isInteger(step) && step > (places[index - 1] ?? -1),
  );
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
