/** A kept run as files to take away. */
import { toErrorReport } from '../../base/error';
import type { Rollout } from '../../run/record/rollout-record';
import { studentOfNote } from '../../run/sweep/class-note';
import type { RunRecord } from '../../run/record/run-record';
import { handInName } from '../class/hand-in-name';
import type { Session } from '../session/session';
import type { Unread } from '../ui/guard';
import { saveFile } from '../ui/save-file';
import type { DatasetService } from '../../../workers/dataset-protocol';
import type { Engine } from '../../export/cluster/mapping';
import type { RunConfig } from '../../run/config/config';
import { ask, openWorker } from '../session/worker-port';

type TextKind = 'metrics.csv' | 'rollouts.csv' | 'everything.jsonl';
/** The run from its start, for another engine. */
type ExportKind = 'verl.zip' | 'trl.zip';
type FileKind = TextKind | 'run.marble' | `${'' | 'best-'}${'adapter' | 'model'}.zip` | ExportKind;

/** Texts for other programs, the whole run for Marble in another browser, what it has trained and the run itself for Python. */
export function fileKindsOf({ config, checkpointStep, bestStep }: RunRecord): readonly FileKind[] {
  const weights = config.training.mode === 'lora' ? 'adapter.zip' : 'model.zip';
  const kinds: FileKind[] = ['metrics.csv', 'rollouts.csv', 'everything.jsonl', 'run.marble'];
  const hasBest = bestStep !== undefined && bestStep !== checkpointStep;
  if (checkpointStep !== null) kinds.push(weights, ...(hasBest ? [`best-${weights}` as const] : []));
  return config.method === 'rl' ? [...kinds, 'verl.zip', 'trl.zip'] : kinds;
}

export function fileWords(kind: FileKind): string {
  return kind === 'trl.zip' ? 'Continue in TRL' : kind === 'verl.zip' ? 'Continue in verl' : kind;
}

const textTypes: Record<TextKind, string> = {
  'metrics.csv': 'text/csv',
  'rollouts.csv': 'text/csv',
  'everything.jsonl': 'application/jsonl',
};

function isWeights(kind: FileKind): kind is Exclude<FileKind, TextKind | ExportKind | 'run.marble'> {
  return kind.endsWith('adapter.zip') || kind.endsWith('model.zip');
}

/** A run of a class says whose it is. */
function runFileName(session: Session, id: string): string {
  const run = session.runs.value.find((other) => other.id === id);
  const student = run === undefined ? null : studentOfNote(run.notes);
  return run === undefined || student === null
    ? `marble-${id.slice(0, 8)}-run.marble`
    : handInName(student, run);
}

/** A kept run of which nothing more than its id may be asked. */
export function unreadRun(session: Session, id: string): Unread {
  return {
    name: `run ${id.slice(0, 8)}`,
    save: () => saveRun(session, id, 'run.marble'),
    remove: () => session.remove(id),
  };
}

export async function saveRun(session: Session, id: string, kind: FileKind): Promise<void> {
  const name = `marble-${id.slice(0, 8)}-${kind}`;
  if (kind === 'verl.zip' || kind === 'trl.zip') {
    await saveExport(session, id, kind, name);
    return;
  }
  if (kind === 'run.marble' || isWeights(kind)) {
    const of = kind.startsWith('best-') ? 'best' : 'last';
    const file = await (kind === 'run.marble'
      ? session.attempt((service) => service.runFile(id))
      : session.weightsFile(id, of));
    if (file !== null) saveFile(kind === 'run.marble' ? runFileName(session, id) : name, file);
    return;
  }
  const [{ metricsCsv, rolloutsCsv }, { runJsonl }] = await Promise.all([
    import('../../share/csv'),
    import('../../share/jsonl'),
  ]);
  const kept = await session.history(id);
  if (kept === null) return;
  async function* rollouts(): AsyncGenerator<readonly Rollout[], void, void> {
    for (const step of kept?.rolloutSteps ?? [])
      yield (await session.attempt((service) => service.getRollouts(id, step))) ?? [];
  }
  const texts: Record<keyof typeof textTypes, () => Iterable<string> | AsyncIterable<string>> = {
    'metrics.csv': () => [metricsCsv(kept.steps, kept.evals)],
    'rollouts.csv': () => rolloutsCsv(rollouts),
    'everything.jsonl': () => runJsonl(kept, rollouts()),
  };
  // Each part is the browser's as soon as it is a blob, and no text has to hold them all.
  const parts: Blob[] = [];
  for await (const text of texts[kind]()) parts.push(new Blob([text]));
  saveFile(name, new Blob(parts, { type: textTypes[kind] }));
}

/** What cannot be exported stands on the screen, with what to do about it. */
async function saveExport(session: Session, id: string, kind: ExportKind, name: string): Promise<void> {
  const kept = await session.history(id);
  if (kept === null) return;
  try {
    saveFile(name, await exportInWorker(kept.record.config, kind === 'trl.zip' ? 'trl' : 'verl'));
  } catch (thrown) {
    session.screen.value = toErrorReport(thrown);
  }
}

/**
 * Made in the worker that has the imported data sets.
 *
 * @throws MarbleError those of `exportFromPage`; `store/no-dataset` for data that is not in this browser
 */
async function exportInWorker(config: RunConfig, to: Engine): Promise<Blob> {
  const port = openWorker<DatasetService>('datasets', 'Try again; the run is kept as it was.');
  try {
    return await ask(port, (service) => service.exportZip(config, to, document.baseURI));
  } finally {
    port.close();
  }
}
