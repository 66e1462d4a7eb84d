/**
 * Removes fields that only earlier versions wrote. Runs and files with such fields still open: the field is dropped and
 * its name reported. Links need no list, because `decodeLink` reports every unknown field.
 */
import { MarbleError } from '../../base/error';
import { isRecord } from '../../base/untrusted';
import { importedId } from './imported';

/** Dotted paths in the run configuration. */
const ofConfig = ['training.arithmetic', 'evaluation.patience', 'evaluation.validationItems'];
/** Dotted paths in the run record outside the configuration. */
const ofRecord = ['machine.backend.tiles', 'machine.backend.tileCode'];

/** Dotted paths in an evaluation. The schema of files drops them. */
const ofEvaluation = [
  ...['report.causalUse', 'report.validation', 'report.closeThinkProbability', 'report.rows.macroF1'],
  ...['verdict.fate', 'verdict.right', 'verdict.factual'],
];

/** Copies `value`, or each value of a list, without the field at the path. Returns null if the field is absent. */
function without(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const left = value.map((each) => without(each, path));
    return left.every((each) => each === null)
      ? null
      : left.map((each, index) => each ?? (value[index] as unknown));
  }
  const [name, ...rest] = path;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
  const { [name]: field, ...others } = value as Record<string, unknown>;
  if (rest.length === 0) return others;
  const left = without(field, rest);
  return left === null ? null : { ...others, [name]: left };
}

function omit<T>(value: T, paths: readonly string[]): { value: T; ignored: string[] } {
  const ignored: string[] = [];
  let left: unknown = value;
  for (const path of paths) {
    const found = without(left, path.split('.'));
    if (found === null) continue;
    left = found;
    ignored.push(path);
  }
  return { value: left as T, ignored };
}

/**
 * Removes deleted fields from a run record, a checkpoint or a sweep. A run on tfjs's own `cpu` backend, which cannot be
 * opened any more, resumes on the default backend.
 *
 * @param config - name of the field that holds the configuration
 * @returns also the names of the removed fields
 */
function cleaned<T extends object>(stored: T, config: string): { value: T; ignored: string[] } {
  const { machine } = (stored ?? {}) as { machine?: { backend?: { backend?: unknown } | null } };
  const ofBackend = machine?.backend?.backend === 'cpu' ? ['machine.backend'] : [];
  const left = omit(stored, [...ofConfig.map((path) => `${config}.${path}`), ...ofRecord, ...ofBackend]);
  const files = addressesToFiles(left.value, config);
  const names = left.ignored.map((path) => path.replace(new RegExp(`^${config}\\.`), ''));
  return { value: files.value, ignored: [...names, ...files.ignored] };
}

/** Removes deleted fields from a stored record, checkpoint or sweep. */
export const withoutDeleted = <T extends object>(stored: T, config: keyof T & string): T =>
  cleaned(stored, config).value;

/**
 * True if an earlier version kept questions of an imported data set out of training, to choose the best step. This version
 * trains on them, so an unfinished run would go on with other questions.
 *
 * @param config - unvalidated, as stored
 */
export function keptQuestionsApart(config: unknown): boolean {
  const { data, evaluation } = isRecord(config) ? config : {};
  const isImported = isRecord(data) && importedId(String(data.source)) !== null;
  return isImported && isRecord(evaluation) && Number(evaluation.validationItems ?? 0) > 0;
}

/** Refusal to resume a run of which `keptQuestionsApart` is true. */
export const otherQuestions = (): MarbleError =>
  new MarbleError(
    'store/other-questions',
    'An earlier version began this run, and kept questions of its data set apart to choose the best step. This version trains on all of them, so the run cannot go on with the same questions.',
    'Start a new run with its settings. The curves, the file and the weights of this one stay.',
  );

/** Removes deleted fields from a stored evaluation. */
export const evaluationWithoutDeleted = <T extends object>(stored: T): T => omit(stored, ofEvaluation).value;

/**
 * @param manifest - unvalidated manifest of a run file
 * @returns the manifest without deleted fields, and the names of the removed fields
 */
export function manifestWithoutDeleted(manifest: unknown): { manifest: unknown; ignored: string[] } {
  if (!isRecord(manifest)) return { manifest, ignored: [] };
  const changed = { ...manifest };
  const ignored = new Set<string>();
  for (const name of ['record', 'checkpoint']) {
    const part = manifest[name];
    if (!isRecord(part)) continue;
    const { value, ignored: names } = cleaned(part, 'config');
    changed[name] = value;
    for (const one of names) ignored.add(one);
  }
  return { manifest: changed, ignored: [...ignored] };
}

/**
 * Earlier versions fetched models and adapters from addresses. These become local files, which the visitor can choose.
 * Configurations had addresses of at most 512 characters.
 */
const isAddress = (text: unknown): text is string =>
  typeof text === 'string' && text.length <= 512 && /^https?:/.test(text);

/** Name of files for an address: its last part, or the repository of an address on the Hub. */
function fileNameOf(address: string): string {
  const [, name = ''] = /([^/]+)(?:\/resolve\/[^/]+)?\/*$/.exec(address) ?? [];
  return name.replaceAll(/[^\w.-]/g, '-').slice(0, 96);
}

/**
 * Replaces the addresses in the configuration of a record, a checkpoint or a sweep. A record's notes keep them.
 *
 * @param holder - unvalidated
 * @param name - name of the field that holds the configuration
 * @returns the names of the replaced fields
 */
function addressesToFiles<T extends object>(holder: T, name: string): { value: T; ignored: string[] } {
  const config = (holder as Record<string, unknown> | null)?.[name];
  const { model, training } = isRecord(config) ? config : {};
  const changed: Record<string, unknown> = {};
  const ignored: string[] = [];
  const addresses: string[] = [];
  if (isRecord(model) && model.kind === 'url' && isAddress(model.url)) {
    changed.model = { kind: 'files', name: fileNameOf(model.url) };
    ignored.push('model.url');
    addresses.push(model.url);
  }
  if (isRecord(training) && isAddress(training.adapter)) {
    changed.training = { ...training, adapter: `files:${fileNameOf(training.adapter)}` };
    ignored.push('training.adapter');
    addresses.push(training.adapter);
  }
  if (ignored.length === 0) return { value: holder, ignored };
  const value = { ...holder, [name]: { ...(config as object), ...changed } };
  const { notes } = value as { notes?: unknown };
  if (typeof notes !== 'string') return { value, ignored };
  // The notes of a run keep the address, from which the visitor can download the files.
  return {
    value: { ...value, notes: [notes, ...addresses].filter((text) => text !== '').join(' ') },
    ignored,
  };
}

/**
 * The same for the fields of a link.
 *
 * @returns the names of the replaced fields, without `model.url`, which stays as an unknown field
 */
export function linkAddressesToFiles(fields: Map<string, string>): string[] {
  const [url, adapter] = [fields.get('model.url'), fields.get('training.adapter')];
  if (fields.get('model.kind') === 'url' && isAddress(url)) {
    fields.set('model.kind', 'files').set('model.name', fileNameOf(url));
  }
  if (!isAddress(adapter)) return [];
  fields.set('training.adapter', `files:${fileNameOf(adapter)}`);
  return ['training.adapter'];
}
