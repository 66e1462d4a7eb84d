/** The imported data sets of this browser. The first access opens their worker. */
import { signal, type ReadonlySignal } from '@preact/signals';
import type { Imported } from '../../../workers/dataset-service';
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
    preview: (file: File) => read([file], (service) => service.preview(file)),
    async keep(file: File, name: string): Promise<Imported> {
      const imported = await read([file], (service) => service.keep(file, name));
      await refresh();
      return imported;
    },
    fetchFile: (address: string) => asked((service) => service.fetchFile(address)),
    async remove(id: string): Promise<void> {
      await asked((service) => service.remove(id));
      await refresh();
    },
  };
}
