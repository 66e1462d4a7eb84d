/**
 * Sessions that train side by side, each with a worker, a run and a history of its own: the runs of a sweep, or models of
 * several sizes. The first is the page's own; the others come and go.
 */
import { computed, effect, signal, untracked, type ReadonlySignal } from '@preact/signals';
import type { Holder } from './kept';
import type { Session } from './session';

export type ParallelSessions = ReturnType<typeof createParallelSessions>;

const isBusy = ({ activity }: Pick<Session, 'activity'>): boolean => activity.value !== 'idle';

/** @param create - makes a session with a worker of its own, which reaches what the holders hold */
export function createParallelSessions(create: (holders?: () => readonly Holder[]) => Session) {
  const all = signal<readonly Session[]>([]);
  const own = create(() => all.peek());
  all.value = [own];
  /** Idle sessions that `close` left open, because they hold a run that storage has refused. */
  let holding: Session[] = [];
  /** What ends the listening to each that was opened. */
  const listening = new Map<Session, () => void>();

  /** Where nothing is at work the own worker says so. */
  const atWork = (): readonly Session[] => {
    const busy = all.value.filter(isBusy);
    return busy.length === 0 ? [own] : busy;
  };
  const toAll = async (order: (session: Session) => Promise<void>): Promise<void> => {
    await Promise.all(atWork().map(order));
  };

  return {
    /** The page's own first. */
    all: all as ReadonlySignal<readonly Session[]>,
    /** The page's own, which is at work as long as any is, and whose orders go to all that are at work. */
    together: {
      ...own,
      activity: computed(() => atWork()[0].activity.value),
      /** IDs of all runs that only the memory of a worker holds completely. */
      unkept: computed(() => all.value.flatMap(({ unkept }) => unkept.value)),
      pause: () => toAll((session) => session.pause()),
      goOn: () => toAll((session) => session.goOn()),
      stop: () => toAll((session) => session.stop()),
      keep: () => toAll((session) => session.keep()),
      // Of several paused runs the one on show.
      step: () => atWork()[0].step(),
    },
    /** Takes the trainer's lock for all; false where another tab trains, and the screen says so. Before the first of them begins. */
    share: () => own.lockAs('first'),
    /** One more, under the lock that they share. */
    open(): Session {
      const idle = holding.pop();
      if (idle !== undefined) return idle;
      const session = create();
      void session.lockAs('beside');
      listening.set(
        session,
        effect(() => {
          const told = session.notice.value;
          const changes = [session.shown.value, session.lastEnd.value, session.unkept.value[0] ?? null];
          untracked(() => {
            if (told !== null) own.notice.value = told;
            if (changes.some((change) => change !== null)) void own.refresh();
          });
        }),
      );
      all.value = [...all.value, session];
      return session;
    },
    /** Closes the others whose runs are all kept, and gives the lock back. */
    async close(): Promise<void> {
      const idle = all.value.filter((session) => session !== own && !isBusy(session));
      holding = idle.filter(({ unkept }) => unkept.value.length > 0);
      const closing = idle.filter((session) => !holding.includes(session));
      all.value = all.value.filter((session) => !closing.includes(session));
      for (const session of closing) {
        listening.get(session)?.();
        listening.delete(session);
        session.close();
      }
      await own.lockAs('alone');
    },
    /** Whether a run trains here, in any of them. */
    trainsHere: (id: string): boolean =>
      all.value.some((session) => isBusy(session) && session.shown.value?.id === id),
  };
}
