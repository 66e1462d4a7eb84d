/**
 * The seam between ops and backends. An op has one implementation per backend, and the engine chooses one when it opens. A
 * call of an op therefore does not test the backend.
 */

export type ImplementationKind = 'wasm' | 'wgsl';

interface Table<T> {
  loaders: Record<ImplementationKind, () => Promise<T>>;
  loaded: Partial<Record<ImplementationKind, T>>;
  current: T;
}

const tables = new Map<string, Table<unknown>>();
let chosenKind: ImplementationKind | null = null;

/**
 * Registers the implementations of an op. The op's module calls this on import, which must happen before an engine opens. The
 * loaders run when an engine of their kind opens.
 *
 * @returns an object whose `current` is the implementation of the open engine
 */
export function implementations<T>(op: string, loaders: Table<T>['loaders']): { readonly current: T } {
  if (chosenKind !== null) throw new Error('An op was imported after the engine was opened.');
  const table: Table<T> = { loaders, loaded: {}, current: undefined as T };
  tables.set(op, table);
  return table;
}

/** Loads the implementations of a kind, which `chooseImplementations` requires. */
export async function loadImplementations(kind: ImplementationKind): Promise<void> {
  const loading = Array.from(tables.values(), async (table) => {
    table.loaded[kind] ??= await table.loaders[kind]();
  });
  await Promise.all(loading);
}

/**
 * Makes every op use its implementation of this kind. Null, for no open engine, leaves the chosen implementations in place.
 *
 * @returns the previous kind
 */
export function chooseImplementations(kind: ImplementationKind | null): ImplementationKind | null {
  const before = chosenKind;
  if (kind !== null) for (const table of tables.values()) table.current = table.loaded[kind];
  chosenKind = kind;
  return before;
}

/** Replaces implementations by op, as tests do with the reference. @returns a function that restores them */
export function replaceImplementations(by: Readonly<Record<string, unknown>>): () => void {
  const replaced = Object.entries(by).map(([op, current]) => {
    const table = tables.get(op)!;
    const before = table.current;
    table.current = current;
    return () => (table.current = before);
  });
  return () => replaced.forEach((restore) => restore());
}
