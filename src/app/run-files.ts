/** A kept run as files to take away. */
import type { Session } from './session';
import { saveFile } from './save-file';

/** Texts for other programs, and the whole run for Marble in another browser. */
export const fileKinds = ['metrics.csv', 'rollouts.csv', 'everything.jsonl', 'run.marble'] as const;
type FileKind = (typeof fileKinds)[number];

const textTypes: Record<Exclude<FileKind, 'run.marble'>, string> = {
  'metrics.csv': 'text/csv',
  'rollouts.csv': 'text/csv',
  'everything.jsonl': 'application/jsonl',
};

/** Reads the run from the browser's storage and hands it over as a file of this kind. */
export async function saveRun(session: Session, id: string, kind: FileKind): Promise<void> {
  const name = `marble-${id.slice(0, 8)}-${kind}`;
  if (kind === 'run.marble') {
    const file = await session.runFile(id);
    if (file !== null) saveFile(name, file);
    return;
  }
  const [{ metricsCsv, rolloutsCsv }, { runJsonl }] = await Promise.all([
    import('../share/csv'),
    import('../share/jsonl'),
  ]);
  const kept = await session.history(id);
  if (kept === null) return;
  const rollouts = kind === 'metrics.csv' ? [] : await session.rollouts(id);
  const written: Record<keyof typeof textTypes, () => string> = {
    'metrics.csv': () => metricsCsv(kept.steps, kept.evals),
    'rollouts.csv': () => rolloutsCsv(rollouts),
    'everything.jsonl': () => runJsonl(kept, rollouts),
  };
  saveFile(name, new Blob([written[kind]()], { type: textTypes[kind] }));
}
