/** Record types of the store, as plain data. */
import type { BackendName } from '../gpu/engine';
import type { RunConfig } from '../run/config/config';
import type { SweepAxes } from '../run/sweep/sweep';

/** A sweep: a base configuration, the axes that vary, and the stored runs of its queue. */
export interface SweepRecord {
  id: string;
  base: RunConfig;
  axes: SweepAxes;
  /** Ids of the runs in the order of `expandSweep`; null for a run that has not started. */
  runs: (string | null)[];
  /** Backend chosen for all runs of the sweep, stored to survive a reload. */
  backend?: BackendName | 'automatic';
  createdAt: number;
}

/** Record of an imported data set, without its items. */
export interface DatasetRecord {
  /** The name, restricted to characters for links, and the first 16 hexadecimal digits of the items' hash. */
  id: string;
  name: string;
  /** Name of the importer: `hitom`, `gsm8k`, …, `own`. */
  dataset: string;
  licence: string;
  count: number;
  stories: number;
  /** Orders of belief of the questions, ascending. */
  orders: number[];
  /** Size of the items' text in bytes. */
  bytes: number;
  /** Only in sets of earlier versions for evaluation alone (FANToM, OpenToM); such a set is not opened. */
  training?: 'allowed' | 'forbidden';
  createdAt: number;
}
