/** Exports a kept run as files. */
import { yieldToMessages } from '../../base/waits';
import type { Rollout } from '../../run/record/rollout-record';
import type { RunRecord } from '../../run/record/run-record';
import type { Session } from '../session/session';
import type { Unread } from '../ui/guard';
import { saveFile } from '../ui/files';

type TextKind = 'metrics.csv' | 'everything.jsonl';
type FileKind = TextKind | 'run.marble' | 'adapter.zip' | 'model.zip';

/** Files that a run offers: texts for other programs, the run for Marble, and its trained weights. */
export function fileKindsOf({ config, checkpointStep }: RunRecord): readonly FileKind[] {
  const whole = ['metrics.csv', 'everything.jsonl', 'run.marble'] as const;
  if (checkpointStep === null) return whole;
  return [...whole, config.training.mode === 'lora' ? 'adapter.zip' : 'model.zip'];
}

/** File name of a class run: student, seed, and the step of an unfinished run. */
export function handInName(student: string, { config, status, step }: RunRecord): string {
  const who = student.replaceAll(/[^\p{L}\p{N}-]+/gu, '-').replaceAll(/^-+|-+$/g, '') || 'student';
  return `marble-${who}-seed-${config.seed}${status === 'done' ? '' : `-step-${step}`}.marble`;
}

/** Actions on a run that need only its ID, for a record that cannot be read. */
export function unreadRun(session: Session, id: string): Unread {
  return {
    name: `run ${id.slice(0, 8)}`,
    save: () => saveRun(session, id, 'run.marble'),
    remove: () => session.remove(id),
  };
}

/** Saves a file of a run. The screen shows an error. */
export async function saveRun(session: Session, id: string, kind: FileKind): Promise<void> {
  try {
    const file = await (kind === 'run.marble'
      ? session.attemptOn(id, (service) => service.runFile(id))
      : kind === 'adapter.zip' || kind === 'model.zip'
        ? session.weightsFile(id)
        : textFile(session, id, kind));
    if (file === null) return;
    const run = session.runOf(id);
    const name =
      kind === 'run.marble' && run?.class !== undefined
        ? handInName(run.class.seat, run)
        : `marble-${id.slice(0, 8)}-${kind}`;
    saveFile(name, file);
  } catch (thrown) {
    session.tell(thrown);
  }
}

async function textFile(session: Session, id: string, kind: TextKind): Promise<Blob | null> {
  const [{ csvParts }, { runJsonl }] = await Promise.all([
    import('../../share/csv'),
    import('../../share/jsonl'),
  ]);
  const kept = await session.history(id);
  if (kept === null) return null;
  async function* rollouts(): AsyncGenerator<readonly Rollout[], void, void> {
    for (const step of kept?.rolloutSteps ?? [])
      yield (await session.attemptOn(id, (service) => service.getRollouts(id, step))) ?? [];
  }
  const parts = kind === 'metrics.csv' ? csvParts(kept.steps) : runJsonl(kept, rollouts());
  // Each part becomes a blob at once, since one string may not hold them all.
  const blobs: Blob[] = [];
  for await (const text of parts) {
    blobs.push(new Blob([text]));
    await yieldToMessages();
  }
  return new Blob(blobs, { type: kind.endsWith('csv') ? 'text/csv' : 'application/jsonl' });
}
