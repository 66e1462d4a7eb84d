/** What the page may ask of the worker that reads and keeps files from anybody. It trains nothing and owns no GPU. */
import type { Files } from '../src/export/open/trained-files';
import type { Engine } from '../src/export/cluster/mapping';
import type { RunConfig } from '../src/run/config/config';
import type { RunHistory } from '../src/run/record/history';
import type { HubDataset, HubSplit } from '../src/model/source/hub-dataset';
import type { DatasetRecord } from '../src/store/records';
import type { ImportedRun } from '../src/store/keep-run';
import type { ImportPreview } from '../src/tom/import/import-dataset';

export type { HubDataset, HubSplit };

/** A file that the visitor chose, and the second one that some data sets need (OpenToM's meta_data.json). */
export interface ChosenFiles {
  file: File;
  companion?: File;
  /** The terms that its place states, for rows of no known data set. */
  licence?: string;
}

/** What an import has kept. */
export interface Imported {
  record: DatasetRecord;
  /** What was left out, by reason. */
  skipped: Record<string, number>;
  /** From the file's bytes to the data set in the storage. */
  milliseconds: number;
}

/** What may be needed beside the files of a run that comes from elsewhere. */
export interface Opening {
  /** Address of the page's folder, which holds `models/`. */
  base: string;
  /** What an adapter is opened under that says of no run; its model may be asked for where it is. */
  settings: RunConfig | null;
}

export interface DatasetService {
  /** The record and the metrics of a run's file, or of its result code as plain text; keeps nothing. */
  readHistory(file: File): Promise<RunHistory>;
  list(): Promise<DatasetRecord[]>;
  /** What an import would do; keeps nothing. */
  preview(files: ChosenFiles): Promise<ImportPreview>;
  /** Keeps all items of a file under a name, or none. */
  keep(files: ChosenFiles, name: string): Promise<Imported>;
  /** What a data set of the Hub has, with sizes and its licence field; fetches none of it. */
  describeHub(repository: string): Promise<HubDataset>;
  /** One of its splits, with the terms to note. */
  fetchHub(dataset: HubDataset, split: HubSplit): Promise<ChosenFiles>;
  /** A file from an address that the visitor gave. */
  fetchFile(address: string): Promise<File>;
  remove(id: string): Promise<void>;
  /**
   * The words of a kept data set that an embedded model lacks.
   *
   * @param base address of the page's folder
   */
  unknownWords(id: string, model: string, base: string): Promise<string[]>;
  /**
   * A run as a zip for verl or TRL.
   *
   * @param base address of the page's folder
   */
  exportZip(config: RunConfig, to: Engine, base: string): Promise<Blob>;
  /** Keeps the run of a file, or of several by their paths; the one that is kept already where it is the same. */
  openRunFile(file: Blob | Files, opening?: Opening): Promise<ImportedRun>;
}
