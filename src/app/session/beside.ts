/**
 * Sessions of further workers, which train other runs of a sweep beside this page's own. For the page they are one with it:
 * it is busy as long as any of them is, and what is asked of the run on show is asked of all.
 */
import { computed, effect, signal, untracked, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ErrorReport } from '../../error';
import type { Activity } from './activity';
import type { Kept } from './kept';
import type { Training } from './training';
import type { WorkerLink } from './worker-link';

/** What of a further session is looked at. */
type Looked = Training & Pick<Kept, 'shown'> & { notice: Signal<ErrorReport | null> };

export interface Beside<Session> {
  /** Sessions beside this one. */
  readonly beside: ReadonlySignal<readonly Session[]>;
  /** One more; it takes no lock of its own, and is to be opened while this session's worker is the first of the tab. */
  openBeside(): Session;
  /** Closes those whose runs are all kept. */
  closeBeside(): Promise<void>;
  /** Whether a run trains here, in any of them. */
  trainsHere(id: string): boolean;
}

export interface BesideOptions<Session> {
  create: () => { session: Session; link: WorkerLink };
  own: Training;
  shown: Kept['shown'];
  notice: Signal<ErrorReport | null>;
  refreshRuns: () => Promise<void>;
}

type Orders = Pick<Training, 'activity' | 'unkept' | 'pause' | 'step' | 'goOn' | 'stop' | 'keep'>;

const isBusy = ({ activity }: { activity: ReadonlySignal<Activity> }): boolean => activity.value !== 'idle';

export function createBeside<Session extends Looked>({
  create,
  own,
  shown,
  notice,
  refreshRuns,
}: BesideOptions<Session>): Beside<Session> & Orders {
  const beside = signal<readonly Session[]>([]);
  const links = new Map<Session, { link: WorkerLink; forget: () => void }>();

  /** An order to every one that is at something. */
  const toAll = async (order: (training: Orders) => Promise<void>): Promise<void> => {
    const others = beside.value.filter(isBusy);
    // Where nothing is at work the own worker says so.
    const all = isBusy(own) || others.length === 0 ? [own, ...others] : others;
    await Promise.all(all.map(order));
  };

  return {
    beside,
    activity: computed(() => {
      if (isBusy(own)) return own.activity.value;
      return beside.value.find(isBusy)?.activity.value ?? 'idle';
    }),
    unkept: computed(() => own.unkept.value || beside.value.some(({ unkept }) => unkept.value)),
    pause: () => toAll((training) => training.pause()),
    goOn: () => toAll((training) => training.goOn()),
    stop: () => toAll((training) => training.stop()),
    keep: () => toAll((training) => training.keep()),
    // Of several paused runs the one on show.
    step: () => (isBusy(own) ? own : (beside.value.find(isBusy) ?? own)).step(),

    trainsHere: (id) =>
      (shown.value?.id === id && isBusy(own)) ||
      beside.value.some((other) => other.shown.value?.id === id && isBusy(other)),
    openBeside() {
      const { session, link } = create();
      void link.lockAs('beside');
      const forget = effect(() => {
        const told = session.notice.value;
        const of = [session.shown.value, session.lastEnd.value];
        untracked(() => {
          if (told !== null) notice.value = told;
          if (of.some((change) => change !== null)) void refreshRuns();
        });
      });
      links.set(session, { link, forget });
      beside.value = [...beside.value, session];
      return session;
    },
    async closeBeside() {
      const closing = beside.value.filter((other) => !isBusy(other) && !other.unkept.value);
      beside.value = beside.value.filter((other) => !closing.includes(other));
      for (const other of closing) {
        const { link, forget } = links.get(other)!;
        links.delete(other);
        forget();
        await link.close();
      }
    },
  };
}
