/**
 * The log of a run that another program made: curves to lay over others. Read are TRL's `trainer_state.json`, verl's log
 * in lines of JSON and on the console, and a table of Weights & Biases. What is not a number, or not finite, is left out.
 */
import { parseLenientJson } from '../../base/lenient-json';
import { isRecord } from '../../base/untrusted';
import { MarbleError } from '../../base/error';
import { readCsv, separatorOf } from '../../tom/import/csv';
import { createBudget } from '../../tom/import/limits';
import { MOST_COLUMNS, MOST_STEPS } from '../../run/config/config-fields';
import { badFile } from '../cluster/cluster-files';

/** In bytes: a million steps of verl's have half a gigabyte. */
const LARGEST_LOG = 256 * 2 ** 20;
const LONGEST_NAME = 200;

/** verl's names (0.9.0, `metric_utils.py`, `ray_trainer.py`) where they mean what Marble's do. */
const verlNames: Readonly<Record<string, string>> = {
  'critic/score/mean': 'reward',
  'response_length/mean': 'completions/mean_length',
  'response_length/min': 'completions/min_length',
  'response_length/max': 'completions/max_length',
  'response_length/clip_ratio': 'completions/clipped_ratio',
  'actor/entropy': 'entropy',
  'actor/grad_norm': 'grad_norm',
  'actor/lr': 'learning_rate',
  'actor/pg_loss': 'loss',
  'actor/pg_clipfrac': 'clip_ratio/region_mean',
  'actor/reward_kl_penalty': 'kl',
  'actor/kl_loss': 'kl',
  'timing_s/step': 'step_time',
};

export interface Log {
  program: string;
  /** By step. */
  rows: Map<number, Record<string, number>>;
  /** Of the run that was exported, where the log has it. */
  link?: string;
}

/** @throws MarbleError `export/not-a-log`, `export/bad-log` naming the file, the place, the field and what was expected */
export async function readForeignLog(name: string, file: Blob): Promise<Log> {
  if (file.size > LARGEST_LOG) throw badFile(name, `has ${file.size} bytes`, `at most ${LARGEST_LOG}`);
  const log = readLog(name, await file.text());
  if (log.rows.size === 0)
    throw badFile(name, 'has no step with a number', 'one row of numbers for each step');
  const columns = new Set([...log.rows.values()].flatMap(Object.keys)).size;
  if (columns > MOST_COLUMNS) throw badFile(name, `has ${columns} metrics`, `at most ${MOST_COLUMNS}`);
  return log;
}

function readLog(name: string, text: string): Log {
  const start = text.slice(0, 4096).trimStart();
  if (start.startsWith('{')) {
    const whole = parsed(text);
    if (isRecord(whole) && 'log_history' in whole) return readTrl(name, whole);
    return readVerlLines(name, text);
  }
  if (/(?:^|\s)step:\d+ - /.test(text.slice(0, 2 ** 20))) return readVerlConsole(name, text);
  if (/^"?(?:Step|_step|step|global_step|train\/global_step)"?[,;\t]/.test(start))
    return readTable(name, text);
  if (start.startsWith('PAR1'))
    throw badFile(name, 'is parquet under a name that TRL does not give', 'completions_00003.parquet for completions; rows to train on go under Data'); // prettier-ignore
  throw new MarbleError(
    'export/not-a-log',
    `${name} is no run and no log that Marble reads: it begins with ${JSON.stringify(start.slice(0, 40))}.`,
    'Choose a .marble file, TRL’s trainer_state.json, verl’s .jsonl or console log, or a CSV of Weights & Biases whose first column is Step.',
  );
}

function readTrl(name: string, state: Record<string, unknown>): Log {
  const { log_history: history, marble_link: link } = state;
  if (!Array.isArray(history)) throw badFile(name, `log_history is ${kindOf(history)}`, 'a list of records');
  const rows: Log['rows'] = new Map();
  history.forEach((entry: unknown, index) => {
    const place = `log_history[${index}]`;
    if (!isRecord(entry)) throw badFile(name, `${place} is ${kindOf(entry)}`, 'a record');
    const training = Object.entries(entry).filter(
      ([field]) => !/^(?:eval_|train_|epoch$|total_flos$)/.test(field),
    );
    if (training.length > 1) addRow(rows, stepOf(name, `${place}.step`, entry.step), training);
  });
  return { program: 'TRL', rows, ...(typeof link === 'string' ? { link } : {}) };
}

function readVerlLines(name: string, text: string): Log {
  const rows: Log['rows'] = new Map();
  text.split('\n').forEach((line, index) => {
    if (line.trim() === '') return;
    const entry = parsed(line);
    if (!isRecord(entry))
      throw badFile(name, `line ${index + 1} is no JSON record`, 'lines of {"step": …, "data": {…}}');
    if (!isRecord(entry.data))
      throw badFile(name, `line ${index + 1}: data is ${kindOf(entry.data)}`, 'a record of numbers');
    addRow(rows, stepOf(name, `line ${index + 1}: step`, entry.step), renamed(Object.entries(entry.data)));
  });
  return { program: 'verl', rows };
}

/** `step:3 - critic/score/mean:0.5 - …`, whatever stands before it; a number may stand in `np.float64(…)`. */
function readVerlConsole(name: string, text: string): Log {
  const rows: Log['rows'] = new Map();
  for (const line of text.split('\n')) {
    const found = /(?:^|\s)step:(\d{1,9}) - (.+)$/.exec(line);
    if (found === null) continue;
    const entries = found[2].split(' - ').map((pair): [string, unknown] => {
      const cut = pair.lastIndexOf(':');
      const value = /^(?:np\.\w+\()?([-+.\deE]+)\)?\s*$/.exec(pair.slice(cut + 1));
      return [pair.slice(0, cut), value === null ? null : Number(value[1])];
    });
    addRow(rows, stepOf(name, 'step', Number(found[1])), renamed(entries));
  }
  return { program: 'verl', rows };
}

/** A chart's table or a run's whole history: `Step,"name - train/reward","name - train/reward__MIN",…`. */
function readTable(name: string, text: string): Log {
  const [head, ...records] = readCsv(text, separatorOf(text), createBudget());
  const columns = head.fields.map((column) => column.replace(/^.* - /, '').replace(/^train\//, ''));
  const rows: Log['rows'] = new Map();
  for (const { row, fields } of records) {
    if (fields.length !== columns.length)
      throw badFile(
        name,
        `line ${row} has ${fields.length} fields`,
        `${columns.length}, as the first line has`,
      );
    const entries = columns
      .map((column, index): [string, unknown] => [
        column,
        fields[index] === '' ? null : Number(fields[index]),
      ])
      .filter(([column], index) => index > 0 && !/__(?:MIN|MAX)$/.test(column));
    const step = fields[0] === '' ? NaN : Number(fields[0]);
    addRow(rows, stepOf(name, `line ${row}: ${head.fields[0]}`, step), renamed(entries));
  }
  return { program: 'W&B', rows };
}

function renamed(entries: readonly [string, unknown][]): [string, unknown][] {
  return entries.map(([field, value]) => [Object.hasOwn(verlNames, field) ? verlNames[field] : field, value]);
}

function addRow(rows: Log['rows'], step: number, entries: readonly [string, unknown][]): void {
  const numbers = entries.filter(
    (entry): entry is [string, number] =>
      typeof entry[1] === 'number' &&
      Number.isFinite(entry[1]) &&
      entry[0] !== 'step' &&
      entry[0] !== '__proto__' &&
      entry[0].length <= LONGEST_NAME,
  );
  if (numbers.length > 0) rows.set(step, { ...rows.get(step), ...Object.fromEntries(numbers) });
}

function stepOf(name: string, place: string, value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_STEPS) return value;
  throw badFile(
    name,
    `${place} is ${typeof value === 'number' ? value : kindOf(value)}`,
    `a whole number from 0 to ${MOST_STEPS}`,
  );
}

function parsed(text: string): unknown {
  try {
    return parseLenientJson(text);
  } catch {
    return undefined;
  }
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'a record' : `a ${typeof value}`;
}
