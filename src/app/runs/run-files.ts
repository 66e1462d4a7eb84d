/** Exports a kept run as files. */
import { breather } from '../../base/waits';
import type { Rollout } from '../../run/record/rollout-record';
import type { RunRecord } from '../../run/record/run-record';
import type { Session } from '../session/session';
import type { Unread } from '../ui/guard';
import { saveFile } from '../ui/files';
import type { Engine } from '../../export/cluster/mapping';
import { createReader } from '../session/reading';
import { chosenFiles } from '../models/chosen-files';

const texts = ['metrics.csv', 'everything.jsonl'] as const;
/** Exports that start the run from its beginning in another engine. */
const exports = ['verl.zip', 'trl.zip'] as const;

type TextKind = (typeof texts)[number];
type ExportKind = (typeof exports)[number];
type FileKind = TextKind | ExportKind | 'run.marble' | `${'adapter' | 'model'}.zip`;

const isText = (kind: FileKind): kind is TextKind => texts.some((text) => text === kind);
const isExport = (kind: FileKind): kind is ExportKind => exports.some((one) => one === kind);

/**
 * Files that a run offers: texts for other programs, the run for Marble, its trained weights, and exports to other engines.
 */
export function fileKindsOf({ config, checkpointStep }: RunRecord): readonly FileKind[] {
  const weights = config.training.mode === 'lora' ? 'adapter.zip' : 'model.zip';
  const kinds: FileKind[] = [...texts, 'run.marble'];
  if (checkpointStep !== null) kinds.push(weights);
  return config.method === 'rl' ? [...kinds, ...exports] : kinds;
}

/** True if making the file needs the files of the visitor's own model. */
export const needsOwnModel = ({ config }: RunRecord, kind: FileKind): boolean =>
  config.model.kind === 'files' && isExport(kind);

export function fileWords(kind: FileKind): string {
  return kind === 'trl.zip' ? 'Continue in TRL' : kind === 'verl.zip' ? 'Continue in verl' : kind;
}

/** File name of a class run: student, seed, and the step of an unfinished run. */
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

/** Actions on a run that need only its ID, for a record that cannot be read. */
export function unreadRun(session: Session, id: string): Unread {
  return {
    name: `run ${id.slice(0, 8)}`,
    save: () => saveRun(session, id, 'run.marble'),
    remove: () => session.remove(id),
  };
}

/**
 * @param own - files of the visitor's own model, which the page does not store
 * @returns the name of the file; null on an error, which the screen shows
 */
export async function saveRun(
  session: Session,
  id: string,
  kind: FileKind,
  own: readonly File[] | null = null,
): Promise<string | null> {
  try {
    const file = await (kind === 'run.marble'
      ? session.attemptOn(id, (service) => service.runFile(id))
      : isText(kind)
        ? textFile(session, id, kind)
        : isExport(kind)
          ? exported(session, id, kind === 'trl.zip' ? 'trl' : 'verl', own)
          : session.weightsFile(id));
    if (file === null) return null;
    const name = fileName(session, id, kind);
    saveFile(name, file);
    return name;
  } catch (thrown) {
    session.tell(thrown);
    return null;
  }
}

/** Parts of a text between two pauses, in which the page can render and respond. A part covers at most 500 steps. */
const PARTS_BETWEEN_PAUSES = 2;

async function textFile(session: Session, id: string, kind: TextKind): Promise<Blob | null> {
  const [{ metricsCsvParts }, { runJsonl }] = await Promise.all([
    import('../../share/csv'),
    import('../../share/jsonl'),
  ]);
  const kept = await session.history(id);
  if (kept === null) return null;
  async function* rollouts(): AsyncGenerator<readonly Rollout[], void, void> {
    for (const step of kept?.rolloutSteps ?? [])
      yield (await session.attemptOn(id, (service) => service.getRollouts(id, step))) ?? [];
  }
  const parts: Record<TextKind, () => Iterable<string> | AsyncIterable<string>> = {
    'metrics.csv': () => metricsCsvParts(kept.steps, kept.evals),
    'everything.jsonl': () => runJsonl(kept, rollouts()),
  };
  // Each part becomes a blob at once, since one string may not hold them all.
  const blobs: Blob[] = [];
  const breathe = breather(PARTS_BETWEEN_PAUSES);
  for await (const text of parts[kind]()) {
    blobs.push(new Blob([text]));
    await breathe(1);
  }
  return new Blob(blobs, { type: kind.endsWith('csv') ? 'text/csv' : 'application/jsonl' });
}

/** Runs in the worker that has the imported data sets. */
async function exported(
  session: Session,
  id: string,
  to: Engine,
  own: readonly File[] | null,
): Promise<Blob | null> {
  const kept = await session.history(id);
  if (kept === null) return null;
  const files = own === null ? null : chosenFiles(own).files;
  const { asked, close } = createReader();
  const made = asked((service) => service.exportZip(kept.record.config, to, document.baseURI, files));
  return session.waitFor('Making the export', made.finally(close), close);
}
