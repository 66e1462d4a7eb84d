/** A kept run as files to take away. */
import type { KeptRun } from '../../workers/protocol';

export const runFiles: Record<'csv' | 'jsonl', (kept: KeptRun) => Blob> = {
  csv: () => new Blob([]),
  jsonl: () => new Blob([]),
};
