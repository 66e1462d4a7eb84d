/**
 * The seam between ops and back ends. An op has an implementation for each, and the engine chooses one when it opens. A call
 * of an op therefore tests no back end.
 */

export type ImplementationKind = 'wasm' | 'wgsl';

interface Table {
  load(kind: ImplementationKind): Promise<void>;
  choose(kind: ImplementationKind): void;
  chosen: { current: unknown };
}

const tables = new Map<string, Table>();
let chosenKind: ImplementationKind | null = null;

/**
 * Registers the implementations of an op, which happens at the op's import and before an engine opens. The loaders run when
 * an engine of their kind opens.
 *
 * @returns an object whose `current` is the implementation of the open engine
 */
export function implementations<T>(
  op: string,
  loaders: Record<ImplementationKind, () => Promise<T>>,
): { readonly current: T } {
  if (chosenKind !== null) throw new Error('An op was imported after the engine was opened.');
  const loaded: Partial<Record<ImplementationKind, T>> = {};
  const chosen = { current: undefined as T };
  tables.set(op, {
    async load(kind) {
      loaded[kind] ??= await loaders[kind]();
    },
    choose(kind) {
      chosen.current = loaded[kind]!;
    },
    chosen,
  });
  return chosen;
}

/** Loads the implementations of a kind, which `chooseImplementations` requires. */
export async function loadImplementations(kind: ImplementationKind): Promise<void> {
  await Promise.all(Array.from(tables.values(), (table) => table.load(kind)));
}

/**
 * Makes every op use its implementation of this kind. Null, for no open engine, leaves them.
 *
 * @returns the previous kind
 */
export function chooseImplementations(kind: ImplementationKind | null): ImplementationKind | null {
  const before = chosenKind;
  if (kind !== null) for (const table of tables.values()) table.choose(kind);
  chosenKind = kind;
  return before;
}

/** Replaces implementations by op, as tests do with the reference. @returns a function that restores them */
export function replaceImplementations(by: Readonly<Record<string, unknown>>): () => void {
  const replaced = Object.entries(by).map(([op, current]) => {
    const { chosen } = tables.get(op)!;
    const before = chosen.current;
    chosen.current = current;
    return () => (chosen.current = before);
  });
  return () => replaced.forEach((restore) => restore());
}
