/** What the store keeps, as plain data. */
import type { BackendName } from '../gpu/engine';
import type { TrainingPermission } from '../tom/item';
import type { RunConfig } from '../run/config/config';
import type { SweepAxes } from '../run/sweep/sweep';

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
