/** The imported data sets of this browser. The first access opens their worker. */
import { signal, type ReadonlySignal } from '@preact/signals';
import type { ChosenFiles, HubDataset, HubSplit, Imported } from '../../../workers/dataset-protocol';
import type { DatasetRecord } from '../../store/records';
import { createReader } from '../session/reading';

export type DatasetLibrary = ReturnType<typeof createDatasetLibrary>;

/** All methods reject with a MarbleError. */
export function createDatasetLibrary() {
  const sets = signal<readonly DatasetRecord[] | null>(null);
  const { asked, read, close } = createReader();

  async function refresh(): Promise<void> {
    sets.value = await asked((service) => service.list());
  }
  return {
    /** Null until listed. */
    sets: sets as ReadonlySignal<readonly DatasetRecord[] | null>,
    refresh,
    /** Cancels the current fetch or read by closing the worker. */
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
  };
}
