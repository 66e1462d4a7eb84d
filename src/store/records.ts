/** What the store keeps, as plain data. */
import type { BackendName } from '../gpu/engine';
import type { TrainingPermission } from '../tom/item';
import type { RunConfig } from '../run/config';
import type { Alert, Checkpoint, EvalReport, Forecast, StepRecord } from '../run/events';
import type { SweepAxes } from '../run/sweep';
import type { Verdict } from '../run/verdict';

/** `running` with nobody holding the trainer's lock means that the tab died: the run can be resumed. */
export type RunStatus = 'running' | 'paused' | 'stopped' | 'done' | 'failed';

export interface RunRecord {
  id: string;
  config: RunConfig;
  /** What differs from the preset (`runName` in the share room), until somebody gives it another. */
  name: string;
  notes: string;
  status: RunStatus;
  /** Of a run that failed: what happened and what to do, in the words of the screen that said so. */
  failure?: string;
  /** The last step whose record is kept. */
  step: number;
  /** The step from which the run can go on; null before its first checkpoint. */
  checkpointStep: number | null;
  /** Entries of its log. */
  logLength: number;
  /** Milliseconds since 1970. */
  createdAt: number;
  updatedAt: number;
  /** Adapter, browser, build, backend and its timing: plain JSON, shown and exported as it is. */
  machine: Record<string, unknown>;
}

export interface Evaluation {
  report: EvalReport;
  verdict?: Verdict;
  forecast?: Forecast;
  /** Of runs of older versions, which three point conditions judged. */
  collapse?: { collapsed: boolean };
}

/** All that is kept of a run but its rollouts and its weights, in the order in which it happened. */
export interface RunHistory {
  record: RunRecord;
  steps: StepRecord[];
  evals: Evaluation[];
  alerts: Alert[];
}

export interface LoadedCheckpoint {
  checkpoint: Checkpoint;
  /** Whether the newest generation did not hold and this is the one before. */
  fellBack: boolean;
}

/** A sweep: what varies around one configuration, and which kept run stands at which place of its queue. */
export interface SweepRecord {
  id: string;
  base: RunConfig;
  axes: SweepAxes;
  /** In the order of `expandSweep`; null for a run that has not begun. */
  runs: (string | null)[];
  /** On what the visitor asked for its runs to be made: the same for all, also after a reload. */
  backend?: BackendName | 'automatic';
  createdAt: number;
}

/** An imported data set; its items are read apart. */
export interface DatasetRecord {
  /** Its name, made fit for a link, and the first 16 hexadecimal digits of the hash of its items. */
  id: string;
  name: string;
  /** The importer's name: `hitom`, `fantom`, …, `own`. */
  dataset: string;
  licence: string;
  /** What the file was: `json`, `parquet`, … */
  format: string;
  count: number;
  stories: number;
  /** Orders of belief asked for, ascending. */
  orders: number[];
  /** Of its texts. */
  bytes: number;
  training: TrainingPermission;
  createdAt: number;
}
