/** The imported data sets of this browser, behind a worker that opens when they are first asked for. */
import { signal, type ReadonlySignal } from '@preact/signals';
import type { ChosenFiles, HubDataset, HubSplit, Imported } from '../../../workers/dataset-protocol';
import type { RunConfig } from '../../run/config/config';
import type { DatasetRecord } from '../../store/records';
import type { ImportPreview } from '../../tom/import/import-dataset';
import { createReader } from '../session/reading';

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
  const { asked, read } = createReader();

  async function refresh(): Promise<void> {
    sets.value = await asked((service) => service.list());
  }
  return {
    sets,
    refresh,
    preview: (files) => read([files.file], (service) => service.preview(files)),
    async keep(files, name) {
      const imported = await read([files.file], (service) => service.keep(files, name));
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
        ? read([], (service) => service.unknownWords(id, model.name, document.baseURI))
        : [],
  };
}
