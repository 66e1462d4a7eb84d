/** The imported data sets of this browser, behind a worker that opens when they are first asked for. */
import { signal, type ReadonlySignal } from '@preact/signals';
import type { Remote } from 'comlink';
import type {
  ChosenFiles,
  DatasetService,
  HubDataset,
  HubSplit,
  Imported,
} from '../../../workers/dataset-protocol';
import type { RunConfig } from '../../run/config/config';
import type { DatasetRecord } from '../../store/records';
import type { ImportPreview } from '../../tom/import/import-dataset';
import { PATIENCE_TO_READ, readInTime } from '../session/reading';
import { ask, openWorker, type WorkerPort } from '../session/worker-port';

/** Every method rejects with the MarbleError of what went wrong. */
export interface DatasetLibrary {
  /** Null until they have been listed. */
  readonly sets: ReadonlySignal<readonly DatasetRecord[] | null>;
  refresh(): Promise<void>;
  preview(files: ChosenFiles): Promise<ImportPreview>;
  keep(files: ChosenFiles, name: string): Promise<Imported>;
  fetchFile(address: string): Promise<File>;
  describeHub(repository: string): Promise<HubDataset>;
  fetchHub(dataset: HubDataset, split: HubSplit): Promise<ChosenFiles>;
  remove(id: string): Promise<void>;
  /** The words of a data set that the model of a run lacks; none for models that read any text. */
  unknownWords(id: string, model: RunConfig['model']): Promise<string[]>;
}

export function createDatasetLibrary(): DatasetLibrary {
  const sets = signal<readonly DatasetRecord[] | null>(null);
  let port: WorkerPort<Remote<DatasetService>> | null = null;

  async function asked<T>(question: (service: DatasetService) => Promise<T>): Promise<T> {
    if (port === null) {
      const fresh = openWorker<DatasetService>('datasets', 'Try again; nothing of the import was kept.');
      port = fresh;
      fresh.ended.catch(() => {
        if (port !== fresh) return;
        port = null;
        fresh.close(); // it may go on with what it failed at
      });
    }
    return ask(port, question);
  }

  /** What reads a file: a worker that has not read it in time is closed. */
  const read = <T>(question: (service: DatasetService) => Promise<T>): Promise<T> =>
    readInTime(asked(question), PATIENCE_TO_READ, () => {
      port?.close();
      port = null;
    });

  async function refresh(): Promise<void> {
    sets.value = await asked((service) => service.list());
  }
  return {
    sets,
    refresh,
    preview: (files) => read((service) => service.preview(files)),
    async keep(files, name) {
      const imported = await read((service) => service.keep(files, name));
      await refresh();
      return imported;
    },
    fetchFile: (address) => asked((service) => service.fetchFile(address)),
    describeHub: (repository) => asked((service) => service.describeHub(repository)),
    fetchHub: (dataset, split) => asked((service) => service.fetchHub(dataset, split)),
    async remove(id) {
      await asked((service) => service.remove(id));
      await refresh();
    },
    unknownWords: async (id, model) =>
      model.kind === 'embedded'
        ? read((service) => service.unknownWords(id, model.name, document.baseURI))
        : [],
  };
}
