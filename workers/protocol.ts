/**
 * Messages between the page and the trainer's worker, whose calls are in `service.ts`. The page creates one proxy for its
 * lifetime and passes one event callback. Errors thrown by a call are rethrown on the other side (`border.ts`).
 */
import type { ErrorReport } from '../src/base/error';
import type { BackendName } from '../src/gpu/engine';
import type { BackendChoice } from '../src/model/device/choose-backend';
import type { Answers } from '../src/index';
import type { RunConfig } from '../src/run/config/config';
import type { TrainerEvent } from '../src/run/record/events';
import type { RunParts } from '../src/run/estimate';
import type { RunHistory } from '../src/run/record/history';
import type { RunClass, RunRecord } from '../src/run/record/run-record';
import type { Item } from '../src/tom/item';
import type { DownloadProgress } from '../src/store/weights/weight-cache';

export type BackendWish = BackendName | 'automatic';

/** Error of a resume that would lose what only a worker's memory has of the run. A worker or the page throws it. */
export const runNotKept: ErrorReport = {
  code: 'store/not-kept',
  message: 'The browser’s storage lacks a part of this run.',
  nextStep: 'Save the run as a file, or make room for it. Then resume it.',
};

/** Capabilities of this computer, found without work on the GPU. */
export interface Capabilities {
  /** Name of the WebGPU adapter; null if there is none. */
  adapter: string | null;
  /** Bytes used and allowed in this browser's storage; null if the browser does not report them. */
  storage: { usage: number; quota: number } | null;
}

/** A stored run in the page's list. */
export interface ListedRun extends RunRecord {
  /** True while another tab trains it. */
  trainsElsewhere?: boolean;
}

/** Cost of a model from elsewhere, computed before its weights are fetched. */
export interface Preflight {
  /** False for the visitor's own files. */
  isOnHub: boolean;
  /** The repository at its commit, or the name of the files. */
  what: string;
  /** Bytes of all files, and of the files that are not stored yet. */
  bytes: number;
  missing: number;
  planned: PlannedRun;
}

/** Requirements of a run, estimated by a dry run (`src/plan`). */
export interface PlannedRun {
  backend: BackendName;
  parameters: number;
  /** Peak memory in bytes. */
  memory: number;
  /** Upper bounds in seconds for the whole run and its parts, assuming answers of maximum length. */
  seconds: number;
  parts: RunParts<number>;
  /** The error that starting would cause, if known in advance. */
  refusal: ErrorReport | null;
}

/**
 * The backend of a run, the reason for its choice, and its hardware. Stored in the run's record as
 * `machine.backend`.
 */
export interface ChosenBackend extends BackendChoice {
  /** Name of the GPU adapter; null on wasm. */
  adapter: string | null;
  /** For LoRA on wasm: products with the frozen weights use FMA (`Engine.fma`). */
  fma?: boolean;
}

/** Returns the backend of a run. Null if the run never began, or if another program made it. */
export function backendOf({ machine }: Pick<RunRecord, 'machine'>): ChosenBackend | null {
  return (machine.backend as ChosenBackend | undefined) ?? null;
}

/** A visitor's question to a model. */
export interface AskedQuestion {
  config: RunConfig;
  /** The stored run whose last checkpoint also answers. If null, only the start answers. */
  run: string | null;
  item: Item;
  /** Seed of the samples. */
  seed: number;
}

export interface AnsweredQuestion {
  start: Answers;
  /** Answers of the run's last checkpoint, and its step; null without a checkpoint. */
  now: (Answers & { step: number }) | null;
}

/** A stored run without its weights and rollouts. Rollouts are large and are requested step by step. */
export interface KeptRun extends RunHistory {
  /** Steps with stored rollouts, ascending. */
  rolloutSteps: number[];
  /** Number of all steps, if `steps` has only the first of them. */
  stepCount?: number;
}

/** A new run of a configuration, with the id `as` if that is given, or a stored run to resume from its last checkpoint. */
export type RunRequest = ({ config: RunConfig; class?: RunClass; as?: string } | { id: string }) & {
  backend: BackendWish;
  /** True if a visitor watches the run. Such a run pauses if its first step has no signal. */
  isAttended?: boolean;
};

/**
 * `pause` holds the run between two micro-batches, once it is open. `step` continues to the end of one step, and `goOn`
 * to the end of the run. `stop` ends the run between two micro-batches, and a download immediately. It stores a
 * checkpoint of the completed steps, from which the run can be resumed. `keep` only stores that checkpoint.
 */
export type RunCommand = 'pause' | 'step' | 'goOn' | 'stop' | 'keep';

/** How a run ended. `error` is the cause of `failed` and `lost`. After `lost` the run can resume in another worker. */
export interface RunEnd {
  how: 'done' | 'stopped' | 'failed' | 'lost';
  error?: ErrorReport;
}

/** `pausing` and `stopping` last until the current micro-batch, or step, ends. A run may pause or stop as it opens. */
export type RunPhase =
  { is: 'opening' | 'running' | 'pausing' | 'paused' | 'stopping' } | ({ is: 'ended' } & RunEnd);

export interface RunFacts {
  /** Null until the run is open. */
  id: string | null;
  /** Part that the worker opens now. */
  stage: 'hardware' | 'model';
  /** Progress of the model's download; null without one. */
  download: DownloadProgress | null;
  /** IDs of all runs of the worker that storage has refused in part. */
  unkept: readonly string[];
}

/** State of a worker's run. The worker sends it whole on every change. */
export type RunState = RunPhase & RunFacts;

/** A trainer's event without weights, or an event of the worker itself. */
export type WorkerEvent =
  | Exclude<TrainerEvent, { type: 'checkpoint' | 'done' | 'failed' | 'lost' }>
  | { type: 'state'; state: RunState }
  /** The run is open. `parts` are the planned seconds of its parts; null if planning failed. */
  | { type: 'run'; kept: KeptRun; parts: RunParts<number> | null }
  | { type: 'kept' }
  | { type: 'storage'; error: ErrorReport };

/**
 * How a worker uses the trainer's lock. `alone` acquires it for each of its runs. `first` holds it for all workers
 * of its tab until it is alone again. `beside` is for the other workers of that tab; they do not acquire
 * it.
 */
export type LockRole = 'alone' | 'first' | 'beside';
