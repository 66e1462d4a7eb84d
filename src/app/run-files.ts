/** A kept run as files to take away. */
import type { RunRecord } from '../store/records';
import type { Session } from './session/session';
import { saveFile } from './save-file';

type FileKind =
  'metrics.csv' | 'rollouts.csv' | 'everything.jsonl' | 'run.marble' | 'adapter.zip' | 'model.zip';

/** Texts for other programs, the whole run for Marble in another browser, and what it has trained for Python. */
export function fileKindsOf({ config, checkpointStep }: RunRecord): readonly FileKind[] {
  const weights: FileKind = config.training.mode === 'lora' ? 'adapter.zip' : 'model.zip';
  const kinds: FileKind[] = ['metrics.csv', 'rollouts.csv', 'everything.jsonl', 'run.marble'];
  return checkpointStep === null ? kinds : [...kinds, weights];
}

const textTypes: Record<Exclude<FileKind, 'run.marble' | 'adapter.zip' | 'model.zip'>, string> = {
  'metrics.csv': 'text/csv',
  'rollouts.csv': 'text/csv',
  'everything.jsonl': 'application/jsonl',
};

/** Reads the run from the browser's storage and hands it over as a file of this kind. */
export async function saveRun(session: Session, id: string, kind: FileKind): Promise<void> {
  const name = `marble-${id.slice(0, 8)}-${kind}`;
  if (kind === 'run.marble' || kind === 'adapter.zip' || kind === 'model.zip') {
    const file = await (kind === 'run.marble' ? session.runFile(id) : session.weightsFile(id));
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
