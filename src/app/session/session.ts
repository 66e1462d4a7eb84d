/**
 * The client of the workers. A trainer is a worker that trains one run. The first trainer is always there and answers all
 * questions. The others train runs of a sweep or models of several sizes in parallel.
 */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { ErrorReport } from '../../base/error';
import type { RunConfig } from '../../run/config/config';
import type { RunClass } from '../../run/record/run-record';
import {
  runNotKept,
  type BackendWish,
  type PlannedRun,
  type RunCommand,
  type RunRequest,
} from '../../../workers/protocol';
import type { Reader } from './reading';
import type { Activity, BegunRun } from './run-view';
import { createStoredRuns, type Ask } from './stored-runs';
import { createTrainer, type Trainer, type TrainerOptions } from './trainer';
import { createVisitor } from './visitor';

export type Session = ReturnType<typeof createSession>;

type SessionOptions = Pick<TrainerOptions, 'openPort' | 'base' | 'drawn'> & { openReader: () => Reader };

/** Errors after which the same request may succeed: of the network, or once files are chosen. */
const repeatable = ['model/unreachable', 'model/busy', 'model/download-truncated', 'app/choose-files'];

/** Errors after which the list of runs is stale: another tab has deleted the run, or trains one. */
const changedElsewhere = ['store/no-run', 'store/other-tab', 'store/run-in-use'];

const stages = { hardware: 'Opening the computer’s hardware', model: 'Loading the model' };

export function createSession({ openPort, base, openReader, drawn }: SessionOptions) {
  const wish = signal<BackendWish>('automatic');
  /** Class and seat of the next new run. */
  const runClass = signal<RunClass | null>(null);
  /** Retries the start that failed with this error of the network. */
  const again = signal<{ error: ErrorReport; act: () => void } | null>(null);
  let persistence: Promise<boolean> | null = null;
  /** The latest request for the first trainer. It replaces an earlier one that still waits for an answer. */
  let latest: RunRequest | null = null;
  let chosenFiles: Record<string, File> | null = null;
  const visitor = createVisitor(({ code }) => {
    if (changedElsewhere.includes(code)) void refreshRuns();
  });
  const { screen, notice, askVisitor, decline, mayContact, waitFor } = visitor;

  const trainers = signal<readonly Trainer[]>([]);
  const stored = createStoredRuns(trainers);
  const { runOf, attemptOn, refreshRuns, changed, show, open } = stored;
  const own = openTrainer();
  const { attempt, capabilities } = own;
  const busy = computed(() => trainers.value.filter((trainer) => trainer.current.value !== null));
  /** State of the run that trains here, or of the first of several; null without one. */
  const current = computed(() => busy.value.at(0)?.current.value ?? null);
  const activity = computed((): Activity => current.value?.is ?? 'idle');
  /** IDs of all runs that only the memory of a worker holds completely. */
  const unkept = computed(() => trainers.value.flatMap((trainer) => trainer.unkept.value));

  function openTrainer(): Trainer {
    const trainer: Trainer = createTrainer({
      ...{ ...visitor, ...stored, openPort, base, drawn, keepStorage },
      chosenFiles: () => chosenFiles,
      isAllKept: () => unkept.value.length === 0,
      onRun: (view) => {
        if (trainer === own) show(view);
      },
    });
    if (trainers.value.length > 0) void trainer.lockAs('beside');
    trainers.value = [...trainers.value, trainer];
    return trainer;
  }

  function keepStorage(): Promise<boolean> {
    return (persistence ??= navigator.storage?.persist?.().catch(() => false) ?? Promise.resolve(false));
  }

  /** Asks the worker that holds the run for something that a server may delay. Cancelling aborts the request. */
  const attemptToFetch = <T>(words: string, ask: Ask<T>, run: string | null = null): Promise<T | null> =>
    waitFor(words, attemptOn(run, ask), () => void attemptOn(run, (service) => service.cancel()));

  /**
   * Asks the visitor whether to fetch missing files of a run's model.
   *
   * @param always - asks about any model from elsewhere, since the question also shows the run's memory and time
   * @param isWanted - false once another run is wanted in place of this one
   */
  async function mayFetch(config: RunConfig, always: boolean, isWanted: () => boolean): Promise<boolean> {
    const { kind } = config.model;
    if (kind === 'embedded' || (kind === 'files' && !always)) return true;
    const words =
      kind === 'hub' ? 'Asking huggingface.co for the size of the model' : 'Reading the model’s files';
    const preflight = await attemptToFetch(words, (service) => service.preflight(config, wish.value));
    if (preflight === null || !isWanted()) return false;
    if (preflight.missing === 0 && !always) return true;
    const here = await attempt((service) => service.capabilities()); // the question names the free storage
    if (here !== null) capabilities.value = here;
    const isAgreed = await askVisitor({ preflight });
    if (isAgreed) await keepStorage();
    return isAgreed;
  }

  /**
   * False if another worker holds a part of the run that storage still refuses. A resume in this trainer would lose that part.
   */
  async function isStored(id: string, trainer: Trainer): Promise<boolean> {
    const isHeld = (): boolean =>
      trainers.value.some((other) => other !== trainer && other.unkept.value.includes(id));
    if (isHeld()) await refreshRuns(); // stores it if there is room by now
    if (isHeld()) screen.value = runNotKept;
    return !isHeld();
  }

  /**
   * Begins a run after the visitor has agreed to its servers and downloads. After a network error the visitor may retry.
   *
   * @returns null if it cannot begin, with the error on the screen, or if the visitor declined
   */
  async function begin(request: RunRequest, trainer = own): Promise<BegunRun | null> {
    if (trainer === own) {
      screen.value = null;
      latest = request;
      decline();
    }
    const isWanted = (): boolean => trainer !== own || latest === request;
    const { isAttended = false } = request;
    const isNew = 'config' in request;
    if (!isNew && !(await isStored(request.id, trainer))) return null;
    const config = isNew ? request.config : runOf(request.id)?.config;
    const mayOpen =
      config === undefined ||
      ((await mayContact(config)) && (await mayFetch(config, isNew && isAttended, isWanted)));
    if (!isWanted()) return null;
    const begun = mayOpen ? await trainer.begin(request) : null;
    const error = screen.value;
    const isRepeatable = isAttended && error !== null && repeatable.includes(error.code);
    again.value = isRepeatable ? { error, act: () => void begin(request) } : null;
    return begun;
  }

  /** Gives a command to all runs that train here. Without one, the first worker answers with an error. */
  async function command(name: RunCommand): Promise<void> {
    const given = busy.value.length === 0 ? [own] : busy.value;
    await Promise.all(given.map((trainer) => trainer.command(name)));
  }

  return {
    ...visitor,
    ...stored,
    ...{ wish, runClass, again, attempt, capabilities, activity, unkept, attemptToFetch, begin },
    /** The first trainer, and the others that are open. */
    trainers: trainers as ReadonlySignal<readonly Trainer[]>,
    /** Opens another trainer under the shared lock. */
    openTrainer,
    /**
     * Takes the trainer's lock for all trainers, before the first run begins. False if another tab trains; the screen shows
     * the error.
     */
    share: () => own.lockAs('first'),
    /** Closes the other idle trainers whose runs are all stored, and gives up the shared lock. */
    async closeIdle(): Promise<void> {
      const isDone = (trainer: Trainer): boolean =>
        trainer !== own && trainer.current.value === null && trainer.unkept.value.length === 0;
      const closing = trainers.value.filter(isDone);
      trainers.value = trainers.value.filter((trainer) => !isDone(trainer));
      for (const trainer of closing) trainer.close();
      await own.lockAs('alone');
    },
    /** Part that is being opened, in words; empty if none is. */
    stage: computed(() =>
      current.value === null || current.value.id !== null ? '' : stages[current.value.stage],
    ),
    download: computed(() => current.value?.download ?? null),
    async weightsFile(id: string): Promise<Blob | null> {
      const config = runOf(id)?.config;
      // The file of a fully trained model includes other files of the model, which are fetched from its origin.
      if (config?.training.mode === 'full' && !(await mayContact(config))) return null;
      return attemptOn(id, (service) => service.weightsFile(id));
    },
    /** Stores the run of a file and opens it. Null on an error, which the screen shows. */
    async openRunFile(file: Blob): Promise<string | null> {
      screen.value = null;
      const { read, close } = openReader();
      const reading = read([file], (service) => service.openRunFile(file)).finally(close);
      const imported = await waitFor('Reading the file', reading, close);
      if (imported === null) return null;
      const { record, isNew, ignored } = imported;
      notice.value = null;
      if (isNew) visitor.tellIgnored('file', ignored);
      await changed();
      await open(record.id);
      return record.id;
    },
    /** Uses the visitor's files as the model of runs whose model is `files`. */
    async chooseFiles(files: Record<string, File>): Promise<void> {
      chosenFiles = files;
      const choose: Ask<void> = (service) => service.chooseFiles(files);
      await Promise.all(trainers.value.map((trainer) => trainer.attempt(choose)));
    },
    /** Resolves a branch of the Hub to its commit; null on an error, which the screen shows. */
    findCommit(repository: string, branch: string): Promise<string | null> {
      visitor.agree(); // pressing the button is the consent
      const words = `Asking huggingface.co for the commit of ${repository}`;
      return attemptToFetch(words, (service) => service.findCommit(repository, branch));
    },
    /** Plans a run; null during training, or if the model's configuration cannot be read. */
    plan: (config: RunConfig): Promise<PlannedRun | null> =>
      attempt((service) => service.plan(config, wish.value).catch(() => null)),
    async start(config: RunConfig): Promise<void> {
      notice.value = null;
      const ofClass = runClass.value && { class: runClass.value };
      await begin({ config, ...ofClass, backend: wish.value, isAttended: true });
    },
    resume: async (id: string) => void (await begin({ id, backend: wish.value, isAttended: true })),
    pause: () => command('pause'),
    goOn: () => command('goOn'),
    stop: () => command('stop'),
    /** Lets one paused run take a step. */
    step: () => (busy.value.at(0) ?? own).command('step'),
    async keep(): Promise<void> {
      if (busy.value.length > 0) await command('keep');
    },
  };
}
