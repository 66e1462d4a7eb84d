/** Completions that TRL or verl has logged, read into rows: what was asked, what was answered, and which row of the export it was. */
import { MarbleError } from '../../base/error';
import { createBudget } from '../../tom/import/limits';
import { readRows, type SourceRow } from '../../tom/import/rows';
import { isRecord, shown } from '../../base/untrusted';
import { badFile, type Named } from '../cluster/cluster-files';

export interface CompletionRow {
  /** Where it stands, for an error. */
  file: string;
  place: string;
  step: number;
  prompt: string;
  completion: string;
  /** Of train.parquet or val.parquet. */
  split: 'train' | 'val';
  index: number;
  /** What the reward gave it there; null where it is not logged. */
  score: number | null;
  /** What it was trained with; null where it is not logged. */
  advantage: number | null;
}

/** @throws MarbleError `export/bad-log` naming the file, the row, the field and what was expected */
export async function readCompletions({ name, file }: Named): Promise<CompletionRow[]> {
  let rows: SourceRow[];
  try {
    ({ rows } = await readRows(file, createBudget(), new Set()));
  } catch (thrown) {
    if (!(thrown instanceof MarbleError)) throw thrown;
    throw badFile(name, thrown.message.replace(/\.$/, ''), 'the whole file, in verl’s lines of JSON or TRL’s parquet'); // prettier-ignore
  }
  return rows.map(({ row, value }) => rowOf(name, `row ${row}`, value));
}

function rowOf(file: string, place: string, value: unknown): CompletionRow {
  if (!isRecord(value)) throw badFile(file, `${place} is ${shown(value)}`, 'a record');
  /** verl's name for a column, or TRL's. */
  const field = (...names: string[]): { name: string; value: unknown } => {
    const name = names.find((candidate) => Object.hasOwn(value, candidate)) ?? names.join(' or ');
    return { name, value: value[name] };
  };
  const text = (...names: string[]): string => {
    const found = field(...names);
    if (typeof found.value === 'string') return found.value;
    throw badFile(file, `${place}: ${found.name} is ${shown(found.value)}`, 'text');
  };
  const number = (...names: string[]): number | null => {
    const found = field(...names).value;
    const plain = typeof found === 'bigint' ? Number(found) : found;
    return typeof plain === 'number' && Number.isFinite(plain) ? plain : null;
  };
  const named = field('row').value;
  const match = typeof named === 'string' ? /^(train|val) (\d{1,7})$/.exec(named) : null;
  if (match === null)
    throw badFile(file, `${place}: row is ${shown(named)}`, '“train 17” or “val 3”, as the reward.py of an export says it'); // prettier-ignore
  const step = number('step');
  if (step === null || !Number.isInteger(step) || step < 0)
    throw badFile(file, `${place}: step is ${shown(field('step').value)}`, 'a whole number from 0');
  return {
    file,
    place,
    step,
    prompt: text('input', 'prompt'),
    completion: text('output', 'completion'),
    split: match[1] as 'train' | 'val',
    index: Number(match[2]),
    score: number('score', 'marble_reward'),
    advantage: number('advantage'),
  };
}
