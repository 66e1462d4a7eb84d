/**
 * Sessions that train in parallel, each with its own worker, run and history: the runs of a sweep, or models of several
 * sizes. The first is the page's own. The others are opened and closed as needed.
 */
import { computed, effect, signal, untracked, type ReadonlySignal } from '@preact/signals';
import type { Holder } from './kept';
import type { Session } from './session';

export type ParallelSessions = ReturnType<typeof createParallelSessions>;

const isBusy = ({ activity }: Pick<Session, 'activity'>): boolean => activity.value !== 'idle';

/** @param create - makes a session with its own worker, which can ask the workers of the holders */
export function createParallelSessions(create: (holders?: () => readonly Holder[]) => Session) {
  const all = signal<readonly Session[]>([]);
  const own = create(() => all.peek());
  all.value = [own];
  /** Idle sessions that `close` left open, because they hold a run that storage has refused. */
  let holding: Session[] = [];
  /** Functions that end the effects of the opened sessions. */
  const listening = new Map<Session, () => void>();

  /** Busy sessions; the page's own if none is busy. */
  const atWork = (): readonly Session[] => {
    const busy = all.value.filter(isBusy);
    return busy.length === 0 ? [own] : busy;
  };
  const toAll = async (order: (session: Session) => Promise<void>): Promise<void> => {
    await Promise.all(atWork().map(order));
  };

  return {
    /** All sessions, the page's own first. */
    all: all as ReadonlySignal<readonly Session[]>,
    /** The page's own session, which is busy while any session is. Its commands go to all busy sessions. */
    together: {
      ...own,
      activity: computed(() => atWork()[0].activity.value),
      /** IDs of all runs that only the memory of a worker holds completely. */
      unkept: computed(() => all.value.flatMap(({ unkept }) => unkept.value)),
      pause: () => toAll((session) => session.pause()),
      goOn: () => toAll((session) => session.goOn()),
      stop: () => toAll((session) => session.stop()),
      keep: () => toAll((session) => session.keep()),
      // Steps only the first busy session.
      step: () => atWork()[0].step(),
    },
    /**
     * Takes the trainer's lock for all sessions, before the first run begins. False if another tab trains; the screen shows
     * the error.
     */
    share: () => own.lockAs('first'),
    /** Opens another session under the shared lock, or reuses an idle one. */
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
    /** Closes the other idle sessions whose runs are all stored, and gives up the shared lock. */
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
    /** True if any session trains the run. */
    trainsHere: (id: string): boolean =>
      all.value.some((session) => isBusy(session) && session.shown.value?.id === id),
  };
}
