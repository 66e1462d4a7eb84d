/** Interface of the worker that reads and stores untrusted files. The worker trains nothing and owns no GPU. */
import type { RunHistory } from '../src/run/record/history';
import type { DatasetRecord } from '../src/store/records';
import type { ImportedRun } from '../src/store/keep-run';
import type { ImportPreview } from '../src/tom/import/import-dataset';

/** Result of an import. */
export interface Imported {
  record: DatasetRecord;
  /** Number of skipped rows by reason. */
  skipped: Record<string, number>;
}

export interface DatasetService {
  /** Reads the record and metrics from a run's file, or from its result code as plain text. Stores nothing. */
  readHistory(file: File): Promise<RunHistory>;
  list(): Promise<DatasetRecord[]>;
  /** Previews an import. Stores nothing. */
  preview(file: File): Promise<ImportPreview>;
  /** Stores all items of a file under a name, or none. */
  keep(file: File, name: string): Promise<Imported>;
  /** Fetches a file from a URL that the visitor entered. */
  fetchFile(address: string): Promise<File>;
  remove(id: string): Promise<void>;
  /** Stores the run of a file. If the same run is already stored, returns that one. */
  openRunFile(file: Blob): Promise<ImportedRun>;
}
