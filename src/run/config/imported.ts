/** How a run's configuration names imported data sets: by their ids, as links can hold them. */
import type { RunConfig } from './config';

const PREFIX = 'imported:';

/** The id in a data source, or null where a generator is named. */
export function importedId(source: string): string | null {
  return source.startsWith(PREFIX) ? source.slice(PREFIX.length) : null;
}

export function importedSource(id: string): string {
  return PREFIX + id;
}

export function importedIds({ data, evaluation }: RunConfig): string[] {
  const trained = importedId(data.source);
  return [...new Set([...(trained === null ? [] : [trained]), ...(evaluation.imported ?? [])])];
}
