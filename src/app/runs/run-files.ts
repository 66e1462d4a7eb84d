/** A kept run as files to take away. */
import { toErrorReport } from '../../base/error';
import { breather } from '../../base/waits';
import type { Rollout } from '../../run/record/rollout-record';
import type { RunRecord } from '../../run/record/run-record';
import type { Session } from '../session/session';
import type { Unread } from '../ui/guard';
import { saveFile } from '../ui/files';
import type { DatasetService } from '../../../workers/dataset-protocol';
import type { Engine } from '../../export/cluster/mapping';
import { ask, openWorker } from '../session/worker-port';
import { chosenFiles } from '../models/chosen-files';

type TextKind = 'metrics.csv' | 'rollouts.csv' | 'everything.jsonl';
/** The last two are the run from its start, for another engine. */
type FileKind =
  TextKind | 'run.marble' | `${'' | 'best-'}${'adapter' | 'model'}.zip` | 'verl.zip' | 'trl.zip';

/** Texts for other programs, the whole run for Marble in another browser, what it has trained and the run itself for Python. */
export function fileKindsOf({ config, checkpointStep, bestStep }: RunRecord): readonly FileKind[] {
  const weights = config.training.mode === 'lora' ? 'adapter.zip' : 'model.zip';
  const kinds: FileKind[] = ['metrics.csv', 'rollouts.csv', 'everything.jsonl', 'run.marble'];
  const hasBest = bestStep !== undefined && bestStep !== checkpointStep;
  if (checkpointStep !== null) kinds.push(weights, ...(hasBest ? [`best-${weights}` as const] : []));
  return config.method === 'rl' ? [...kinds, 'verl.zip', 'trl.zip'] : kinds;
}

/** Whether a file needs the files of the visitor's own model. */
export const needsOwnModel = ({ config }: RunRecord, kind: FileKind): boolean =>
  config.model.kind === 'files' && (kind === 'trl.zip' || kind === 'verl.zip');

export function fileWords(kind: FileKind): string {
  return kind === 'trl.zip' ? 'Continue in TRL' : kind === 'verl.zip' ? 'Continue in verl' : kind;
}

/** Of a class: who, which seed, and how far where the run is not finished. */
export function handInName(student: string, { config, status, step }: RunRecord): string {
  const who = student.replaceAll(/[^\p{L}\p{N}-]+/gu, '-').replaceAll(/^-+|-+$/g, '') || 'student';
  return `marble-${who}-seed-${config.seed}${status === 'done' ? '' : `-step-${step}`}.marble`;
}

function fileName(session: Session, id: string, kind: FileKind): string {
  const run = session.runOf(id);
  return kind === 'run.marble' && run?.class !== undefined
    ? handInName(run.class.seat, run)
    : `marble-${id.slice(0, 8)}-${kind}`;
}

/** A kept run of which nothing more than its id may be asked. */
export function unreadRun(session: Session, id: string): Unread {
  return {
    name: `run ${id.slice(0, 8)}`,
    save: () => saveRun(session, id, 'run.marble'),
    remove: () => session.remove(id),
  };
}

/**
 * @param own - files of the visitor's own model, which the page does not keep
 * @returns the name of the file; null where it could not be made, and the screen says why
 */
export async function saveRun(
  session: Session,
  id: string,
  kind: FileKind,
  own: readonly File[] | null = null,
): Promise<string | null> {
  const file = await fileOf(session, id, kind, own);
  if (file === null) return null;
  const name = fileName(session, id, kind);
  saveFile(name, file);
  return name;
}

/** Null where it cannot be made, and the screen says why. */
async function fileOf(
  session: Session,
  id: string,
  kind: FileKind,
  own: readonly File[] | null,
): Promise<Blob | null> {
  switch (kind) {
    case 'run.marble':
      return session.attemptOn(id, (service) => service.runFile(id));
    case 'metrics.csv':
    case 'rollouts.csv':
    case 'everything.jsonl':
      return textFile(session, id, kind);
    case 'verl.zip':
    case 'trl.zip':
      return exported(session, id, kind === 'trl.zip' ? 'trl' : 'verl', own);
    case 'adapter.zip':
    case 'model.zip':
      return session.weightsFile(id, 'last');
    case 'best-adapter.zip':
    case 'best-model.zip':
      return session.weightsFile(id, 'best');
  }
}

/** Parts of a text, each of at most 500 steps, after which the page can draw and answer. */
const PARTS_BETWEEN_PAUSES = 2;

async function textFile(session: Session, id: string, kind: TextKind): Promise<Blob | null> {
  const [{ metricsCsvParts, rolloutsCsv }, { runJsonl }] = await Promise.all([
    import('../../share/csv'),
    import('../../share/jsonl'),
  ]);
  const kept = await session.history(id);
  if (kept === null) return null;
  async function* rollouts(): AsyncGenerator<readonly Rollout[], void, void> {
    for (const step of kept?.rolloutSteps ?? [])
      yield (await session.attempt((service) => service.getRollouts(id, step))) ?? [];
  }
  const texts: Record<TextKind, () => Iterable<string> | AsyncIterable<string>> = {
    'metrics.csv': () => metricsCsvParts(kept.steps, kept.evals),
    'rollouts.csv': () => rolloutsCsv(rollouts),
    'everything.jsonl': () => runJsonl(kept, rollouts()),
  };
  // Each part is the browser's as soon as it is a blob, and no text has to hold them all.
  const parts: Blob[] = [];
  const breathe = breather(PARTS_BETWEEN_PAUSES);
  for await (const text of texts[kind]()) {
    parts.push(new Blob([text]));
    await breathe(1);
  }
  return new Blob(parts, { type: kind.endsWith('csv') ? 'text/csv' : 'application/jsonl' });
}

/** Made in the worker that has the imported data sets. */
async function exported(
  session: Session,
  id: string,
  to: Engine,
  own: readonly File[] | null,
): Promise<Blob | null> {
  const kept = await session.history(id);
  if (kept === null) return null;
  const port = openWorker<DatasetService>('datasets', 'Try again; the run is kept as it was.');
  try {
    const files = own === null ? null : chosenFiles(own).files;
    const work = ask(port, (service) => service.exportZip(kept.record.config, to, document.baseURI, files));
    return await session.waitFor('Making the export', work, () => port.close());
  } catch (thrown) {
    session.screen.value = toErrorReport(thrown);
    return null;
  } finally {
    port.close();
  }
}
