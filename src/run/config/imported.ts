/** References to imported data sets in a run configuration, by id. Links can hold them. */
import type { RunConfig } from './config';

const PREFIX = 'imported:';

/** Returns the id in a data source, or null if it names a generator. */
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
