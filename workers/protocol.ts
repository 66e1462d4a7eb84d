/**
 * Everything that crosses the border between the page and the trainer's worker. The page makes one proxy for its life
 * and hands over one event callback; what a call throws is thrown on the other side too (`border.ts`).
 */
import type { ErrorReport } from '../src/base/error';
import type { BackendName } from '../src/gpu/engine';
import type { BackendChoice } from '../src/model/device/choose-backend';
import type { Answers } from '../src/index';
import type { RunConfig } from '../src/run/config/config';
import type { TrainerEvent } from '../src/run/record/events';
import type { Rollout } from '../src/run/record/rollout-record';
import type { RunParts } from '../src/run/estimate';
import type { RunHistory } from '../src/run/record/history';
import type { RunRecord } from '../src/run/record/run-record';
import type { Item } from '../src/tom/item';
import type { SweepRecord } from '../src/store/records';
import type { DownloadProgress, StoredModel } from '../src/store/weights/weight-cache';

export type { StoredModel };

export type BackendWish = Exclude<BackendName, 'cpu'> | 'automatic';

/** Why nothing trains here while another tab does: the page says it, and the worker refuses with it. */
export const otherTabTrains: ErrorReport = {
  code: 'store/other-tab',
  message: 'Another tab of this browser is training.',
  nextStep: 'Here you can watch what it keeps. Stop it there, or close that tab, to train in this one.',
};

/** What this computer offers, without any work on the GPU. */
export interface Capabilities {
  /** The name of the WebGPU adapter; null where there is none. */
  adapter: string | null;
  /** Bytes used and allowed in this browser's storage; null where it does not say. */
  storage: { usage: number; quota: number } | null;
  /** Whether another tab of this browser is training, and which run; null as long as that has not begun. */
  busyElsewhere: boolean;
  runElsewhere: string | null;
}

/** A kept run in the page's list. */
export interface ListedRun extends RunRecord {
  /** Another tab trains it now. */
  trainsElsewhere?: boolean;
}

/** What a model from elsewhere will cost, told before any of its weights is fetched. */
export interface Preflight {
  /** From which host, and what there: a repository at its commit, or a folder; null for the visitor's own files. */
  host: string | null;
  what: string;
  /** Bytes of all files, and those of them that are not kept here yet. */
  bytes: number;
  missing: number;
  planned: PlannedRun;
}

/** What a run needs here, by a dry run of it (`src/plan`). */
export interface PlannedRun {
  backend: BackendName;
  parameters: number;
  /** Bytes at the peak. */
  memory: number;
  /** Seconds of the whole run at most, answers being as long as allowed, and of its parts. */
  seconds: number;
  parts: RunParts<number>;
  /** What starting would end in, where that is known already. */
  refusal: ErrorReport | null;
}

/** Which backend runs a run, how it was chosen, and on what. Stands in the run's record as `machine.backend`. */
export interface ChosenBackend extends BackendChoice {
  /** The GPU adapter's name; null on wasm and cpu. */
  adapter: string | null;
  /** Of LoRA on wasm: products by the frozen weights use FMA (`Engine.fma`). */
  fma?: boolean;
}

/** Of a run that was begun; null where it never came so far, or another program made it. */
export function backendOf({ machine }: Pick<RunRecord, 'machine'>): ChosenBackend | null {
  return (machine.backend as ChosenBackend | undefined) ?? null;
}

/** The backend where a visitor may ask for it; undefined for `cpu`, on which an earlier version began runs. */
export const offeredBackend = (backend: BackendName | undefined): 'webgpu' | 'wasm' | undefined =>
  backend === 'cpu' ? undefined : backend;

/** A visitor's question to a model. */
export interface AskedQuestion {
  config: RunConfig;
  /** The kept run whose last checkpoint answers beside the start; null asks the start alone. */
  run: string | null;
  item: Item;
  /** Of the samples. */
  seed: number;
}

export interface AnsweredQuestion {
  start: Answers;
  /** Of the run's last checkpoint, after so many steps; null where there is none. */
  now: (Answers & { step: number }) | null;
}

/** All that is kept of a run but its weights and its rollouts, which are many and are asked for step by step. */
export interface KeptRun extends RunHistory {
  /** Steps with kept rollouts, ascending. */
  rolloutSteps: number[];
}

/** A trainer's event without the weights, or a stage of the worker's own. */
export type WorkerEvent =
  | Exclude<TrainerEvent, { type: 'checkpoint' }>
  | { type: 'run'; kept: KeptRun }
  | { type: 'stage'; stage: 'opening' | 'loading' | 'training' }
  /** Seconds of the run's parts, as planned. */
  | { type: 'planned'; parts: RunParts<number> }
  | { type: 'download'; progress: DownloadProgress }
  | { type: 'kept'; step: number }
  | { type: 'paused'; step: number }
  | { type: 'storage'; error: ErrorReport }
  | { type: 'stopped'; step: number };

/**
 * How a worker stands to the trainer's lock: `alone` takes it for each of its runs; `first` has it until it is alone again,
 * for all workers of its tab; those `beside` the first take none.
 */
export type LockRole = 'alone' | 'first' | 'beside';

/** What the page may ask of a worker. One run trains in it at a time. Every call may throw a `MarbleError`. */
export interface TrainerService {
  /** @param base - address of the folder that holds index.html and `models/` */
  connect(base: string, onEvent: (event: WorkerEvent) => void): Promise<Capabilities>;
  capabilities(): Promise<Capabilities>;
  /** Answers at once, unless the worker is held up. */
  isAlive(): Promise<true>;
  /** Throws `store/other-tab` where the first of this tab cannot have the lock. */
  lockAs(role: LockRole): Promise<void>;

  /** Newest first, with the one that the storage has refused. */
  listRuns(): Promise<ListedRun[]>;
  getRun(id: string): Promise<KeptRun>;
  /** The rollouts of one step; `isDrawn`: those that a picture shows. */
  getRollouts(id: string, step: number, isDrawn?: boolean): Promise<readonly Rollout[]>;
  setNotes(id: string, notes: string): Promise<void>;
  /** Throws `store/run-in-use` where it is training, here or in another tab. */
  deleteRun(id: string): Promise<void>;
  /** The whole run, its last checkpoint with it, as one file; also what the storage could not take. */
  runFile(id: string): Promise<Blob>;
  /** What the run has trained, of its last checkpoint or of its best one, as a zip: a PEFT adapter, or the whole small model. */
  weightsFile(id: string, of: 'last' | 'best'): Promise<Blob>;

  listSweeps(): Promise<SweepRecord[]>;
  /** Keeps a new sweep, or what has changed of a known one. The page runs its queue, by `start` and `resume`. */
  putSweep(sweep: SweepRecord): Promise<void>;
  /** Its runs stay. */
  deleteSweep(id: string): Promise<void>;

  /** Models from elsewhere that are kept in this browser, whole or in part. */
  storedModels(): Promise<StoredModel[]>;
  /** Deletes what is kept of the model from that folder. */
  deleteStoredModel(address: string): Promise<void>;
  /** The files that a run with a model of kind `files` takes, until others are chosen. */
  chooseFiles(files: Record<string, Blob>): Promise<void>;
  /**
   * The adapter that a run with `training.adapter` of kind `files:` starts from: PEFT's two files, or a zip of them.
   * Answers with its rank and alpha, which the run's must be.
   */
  chooseAdapter(files: Record<string, Blob>): Promise<{ rank: number; alpha: number }>;
  /** The commit that a branch or tag of a Hub repository names now, as 40 hexadecimal digits. */
  findCommit(repository: string, branch: string): Promise<string>;
  /** Asks for the sizes of a model from elsewhere: its weights are not fetched. */
  preflight(config: RunConfig, backend: BackendWish): Promise<Preflight>;
  /** What a run needs here. Of its model no more than `config.json` is read. Throws `app/already-training`. */
  plan(config: RunConfig, backend: BackendWish): Promise<PlannedRun>;
  /** Puts a question to a model. Throws `app/already-training` while a run trains here, which has the device. */
  ask(question: AskedQuestion): Promise<AnsweredQuestion>;
  /** Begins a run and answers with its id; everything further comes as events, to `done`, `stopped`, `failed` or `lost`. */
  start(config: RunConfig, name: string, backend: BackendWish): Promise<string>;
  /** Goes on with a kept run from its last checkpoint. */
  resume(id: string, backend: BackendWish): Promise<string>;

  /** Stands still between two micro-batches. */
  pause(): Promise<void>;
  /** Lets a paused run go on to the end of a step. */
  step(): Promise<void>;
  /** Lets a paused run go on. */
  goOn(): Promise<void>;
  /**
   * Ends the run between two micro-batches, and a download at once; it can be resumed from the checkpoint of the steps
   * taken, which is kept then.
   */
  stop(): Promise<void>;
  /** Keeps a checkpoint of the steps taken: the tab was hidden. */
  keep(): Promise<void>;
}
