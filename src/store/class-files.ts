/** Files and result codes of a class that a teacher has read. They are read again after a reload. */
import type { UseStore } from 'idb-keyval';
import { keysFrom, readRange } from './keys';

export interface ClassFile {
  /** ID of the run. A later file of the same run replaces an earlier one. */
  run: string;
  /** Place of the run in the order of arrival. */
  place: number;
  file: File;
}

/** Every method rejects with MarbleError `store/full` or `store/unavailable` when the browser's storage fails. */
export function createClassStore(use: UseStore) {
  return {
    putClassFile: (file: ClassFile) =>
      use('readwrite', (store) => {
        store.put(file, ['class', file.run]);
      }),

    /** In the order of arrival. */
    async classFiles(): Promise<File[]> {
      const kept = await use('readonly', (store) => readRange<ClassFile | null>(store, keysFrom('class')));
      return kept
        .filter((entry) => entry !== null)
        .sort((a, b) => a.place - b.place)
        .map(({ file }) => file);
    },

    clearClass: () =>
      use('readwrite', (store) => {
        store.delete(keysFrom('class'));
      }),
  };
}
