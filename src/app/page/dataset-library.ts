/** The imported data sets of this browser, behind a worker that opens when they are first asked for. */
import { signal, type ReadonlySignal } from '@preact/signals';
import type { ChosenFiles, HubDataset, HubSplit, Imported } from '../../../workers/dataset-protocol';
import type { RunConfig } from '../../run/config/config';
import type { DatasetRecord } from '../../store/records';
import { createReader } from '../session/reading';

export type DatasetLibrary = ReturnType<typeof createDatasetLibrary>;

/** Every method rejects with the MarbleError of what went wrong. */
export function createDatasetLibrary() {
  const sets = signal<readonly DatasetRecord[] | null>(null);
  const { asked, read, close } = createReader();

  async function refresh(): Promise<void> {
    sets.value = await asked((service) => service.list());
  }
  return {
    /** Null until they have been listed. */
    sets: sets as ReadonlySignal<readonly DatasetRecord[] | null>,
    refresh,
    /** Ends what is being fetched or read: its worker is closed, with its requests. */
    cancel: close,
    preview: (files: ChosenFiles) => read([files.file], (service) => service.preview(files)),
    async keep(files: ChosenFiles, name: string): Promise<Imported> {
      const imported = await read([files.file], (service) => service.keep(files, name));
      await refresh();
      return imported;
    },
    fetchFile: (address: string) => asked((service) => service.fetchFile(address)),
    describeHub: (repository: string) => asked((service) => service.describeHub(repository)),
    fetchHub: (dataset: HubDataset, split: HubSplit) => asked((service) => service.fetchHub(dataset, split)),
    async remove(id: string): Promise<void> {
      await asked((service) => service.remove(id));
      await refresh();
    },
    /** The words of a data set that the model of a run lacks; none for models that read any text. */
    unknownWords: async (id: string, model: RunConfig['model']): Promise<string[]> =>
      model.kind === 'embedded'
        ? read([], (service) => service.unknownWords(id, model.name, document.baseURI))
        : [],
  };
}
