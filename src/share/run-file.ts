/**
 * A whole run as one file that another browser opens: record, metrics, rollouts, evaluations, alerts, and the last
 * checkpoint where there is one.
 *
 *     marble-run 1\n
 *     <SHA-256 of the JSON> <its length in bytes>\n
 *     <JSON: the manifest of run-schema.ts>
 *     <parameters, moments and reference: little-endian float32, each with its SHA-256 in the manifest>
 *
 * Numbers that are not finite, which JSON cannot write, stand as {"$number": "NaN"}. Nothing of a file is used before
 * its sizes, hashes and fields have been checked.
 */
import * as v from 'valibot';
import { MarbleError } from '../error';
import type { Checkpoint, Rollout } from '../rl/events';
import type { RunHistory } from '../store/records';
import { manifestSchema, type Manifest } from './run-schema';
import { complaint } from './schema';

export interface RunFile {
  history: RunHistory;
  rollouts: Rollout[];
  checkpoint: Checkpoint | null;
}

const version = 1;
const manifestLimit = 256 * 2 ** 20;
const headLength = 128;
const arrayNames = ['parameters', 'moment1', 'moment2', 'reference'] as const;

type StoredCheckpoint = NonNullable<Manifest['checkpoint']>;

function badFile(message: string, cause?: unknown): MarbleError {
  return new MarbleError('share/bad-file', message, 'Choose a file that Marble saved, or save it again.', {
    cause,
  });
}

async function sha256(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function writeJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'number' && !Number.isFinite(part) ? { $number: String(part) } : part,
  );
}

function readJson(text: string): unknown {
  return JSON.parse(text, (_, part: unknown) => {
    const named = typeof part === 'object' && part !== null && '$number' in part ? part.$number : null;
    return named === 'NaN' || named === 'Infinity' || named === '-Infinity' ? Number(named) : part;
  });
}

/** Float32 arrays of a checkpoint in the order in which they stand in the file. */
function arraysOf({ policy }: Checkpoint): Float32Array<ArrayBuffer>[] {
  return arrayNames.flatMap((name) => {
    const array = policy[name];
    return array === null ? [] : [array as Float32Array<ArrayBuffer>];
  });
}

async function storedForm(checkpoint: Checkpoint): Promise<StoredCheckpoint> {
  const describe = async (array: Float32Array) => ({
    length: array.length,
    sha256: await sha256(array as Float32Array<ArrayBuffer>),
  });
  const { policy, config, step, trainer } = checkpoint;
  return {
    version: checkpoint.version,
    config,
    step,
    trainer,
    updates: policy.updates,
    parameters: await describe(policy.parameters),
    moment1: await describe(policy.moment1),
    moment2: await describe(policy.moment2),
    reference: policy.reference && (await describe(policy.reference)),
  };
}

/** @returns the file; suggested name ending `.marble` */
export async function exportRun({ history, rollouts, checkpoint }: RunFile): Promise<Blob> {
  const manifest: Manifest = {
    ...history,
    rollouts,
    checkpoint: checkpoint && (await storedForm(checkpoint)),
  };
  const json = new TextEncoder().encode(writeJson(manifest));
  const head = `marble-run ${version}\n${await sha256(json)} ${json.length}\n`;
  return new Blob([head, json, ...(checkpoint === null ? [] : arraysOf(checkpoint))], {
    type: 'application/octet-stream',
  });
}

async function readManifest(file: Blob): Promise<{ manifest: Manifest; end: number }> {
  const head = await file.slice(0, headLength).text();
  const written = /^marble-run (\d{1,6})\n/.exec(head);
  if (written === null) throw badFile('This is not the file of a Marble run.');
  if (Number(written[1]) > version) {
    throw new MarbleError(
      'share/newer-file',
      `The file is of version ${written[1]}; this page reads version ${version}.`,
      'Reload the page to get its newest version, then open the file again.',
    );
  }
  const sizes = /^marble-run \d+\n([0-9a-f]{64}) (\d{1,12})\n/.exec(head);
  if (sizes === null) throw badFile('The head of the file is damaged.');
  const [{ length: start }, hash, digits] = sizes;
  const length = Number(digits);
  if (length > manifestLimit) {
    throw badFile(`The file's records take ${length} bytes; at most ${manifestLimit} are read.`);
  }
  const bytes = await file.slice(start, start + length).arrayBuffer();
  if (bytes.byteLength < length || (await sha256(bytes)) !== hash) {
    throw badFile('The file is cut off or damaged: the hash of its records does not hold.');
  }
  let parsed: unknown;
  try {
    parsed = readJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw badFile('The records in the file are no JSON.', error);
  }
  const result = v.safeParse(manifestSchema, parsed, { abortEarly: true });
  if (!result.success) throw badFile(complaint(result.issues[0]));
  return { manifest: result.output, end: start + length };
}

async function readCheckpoint(file: Blob, stored: StoredCheckpoint, start: number): Promise<Checkpoint> {
  const described = arrayNames.flatMap((name) => stored[name] ?? []);
  if (described.some(({ length }) => length !== stored.parameters.length)) {
    throw badFile('The arrays of the checkpoint differ in length.');
  }
  const arrays: Float32Array[] = [];
  let offset = start;
  for (const { length, sha256: hash } of described) {
    const bytes = await file.slice(offset, offset + 4 * length).arrayBuffer();
    offset += 4 * length;
    if (bytes.byteLength < 4 * length || (await sha256(bytes)) !== hash) {
      throw badFile('The file is cut off or damaged: the hash of its checkpoint does not hold.');
    }
    arrays.push(new Float32Array(bytes));
  }
  const [parameters, moment1, moment2, reference = null] = arrays;
  const { config, step, trainer, updates } = stored;
  return { version, config, step, trainer, policy: { parameters, moment1, moment2, updates, reference } };
}

/**
 * Opens a file of `exportRun`, from whomever it comes.
 *
 * @throws MarbleError `share/bad-file` naming the field or the place, `share/newer-file`
 */
export async function importRun(file: Blob): Promise<RunFile> {
  const { manifest, end } = await readManifest(file);
  const { rollouts, checkpoint: stored, ...history } = manifest;
  const arrays = stored === null ? [] : arrayNames.flatMap((name) => stored[name] ?? []);
  const size = end + 4 * arrays.reduce((total, { length }) => total + length, 0);
  if (file.size !== size) throw badFile(`The file has ${file.size} bytes where its records promise ${size}.`);
  return { history, rollouts, checkpoint: stored && (await readCheckpoint(file, stored, end)) };
}
