/**
 * Fields that earlier versions wrote and this one no longer has. Runs and files with such a field still open: it is left out
 * and named. Links need no list, since `decodeLink` names every field that it does not know.
 */

/** Dotted paths in a run's configuration. */
const ofConfig = ['training.arithmetic'];
/** Dotted paths in a run's record, besides those of its configuration. */
const ofRecord = ['machine.backend.tiles', 'machine.backend.tileCode'];

const below = (start: string, paths: readonly string[]): string[] => paths.map((path) => `${start}.${path}`);

/** A copy of `value` without the field at `path`; null where there is none. */
function without(value: unknown, [name, ...rest]: readonly string[]): Record<string, unknown> | null {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
  const { [name]: field, ...others } = value as Record<string, unknown>;
  if (rest.length === 0) return others;
  const left = without(field, rest);
  return left && { ...others, [name]: left };
}

function omit<T>(value: T, paths: readonly string[]): { value: T; ignored: string[] } {
  const ignored: string[] = [];
  let left: unknown = value;
  for (const path of paths) {
    const found = without(left, path.split('.'));
    if (found === null) continue;
    left = found;
    ignored.push(path);
  }
  return { value: left as T, ignored };
}

/** A kept run's record or checkpoint without the deleted settings of its configuration. */
export const withoutDeleted = <T extends { config: unknown }>(stored: T): T =>
  omit(stored, below('config', ofConfig)).value;

/**
 * @param manifest - of a run's file, not checked yet
 * @returns the manifest without deleted fields, and the names of those that the run had
 */
export function manifestWithoutDeleted(manifest: unknown): { manifest: unknown; ignored: string[] } {
  const { value, ignored } = omit(manifest, [
    ...below('record.config', ofConfig),
    ...below('record', ofRecord),
    ...below('checkpoint.config', ofConfig),
  ]);
  const names = ignored.map((path) => path.replace(/^(record\.config|checkpoint\.config|record)\./, ''));
  return { manifest: value, ignored: [...new Set(names)] };
}
