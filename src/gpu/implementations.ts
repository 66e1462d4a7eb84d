/**
 * The seam between ops and back ends. An op has up to three implementations, and the engine chooses one of them when it
 * opens. A call of an op therefore tests no back end.
 */

/** `reference` composes tfjs ops and runs on every back end. `wasm` and `wgsl` are Marble's own kernels. */
export type ImplementationKind = 'reference' | 'wasm' | 'wgsl';

/** Implementations of an op. The loaders run when an engine of their kind opens. Without one, the reference runs. */
interface Implementations<T> {
  reference: T;
  wasm?: () => Promise<T>;
  wgsl?: () => Promise<T>;
}

interface Table {
  load(kind: ImplementationKind): Promise<void>;
  choose(kind: ImplementationKind): void;
}

const tables: Table[] = [];
let chosenKind: ImplementationKind = 'reference';

/**
 * Registers the implementations of an op, which happens at the op's import and before an engine opens.
 *
 * @returns an object whose `current` is the implementation of the open engine
 */
export function implementations<T>(all: Implementations<T>): { readonly current: T } {
  if (chosenKind !== 'reference') throw new Error('An op was imported after the engine was opened.');
  const loaded: Partial<Record<ImplementationKind, T>> = { reference: all.reference };
  const chosen = { current: all.reference };
  tables.push({
    async load(kind) {
      const load = kind === 'reference' ? undefined : all[kind];
      if (!(kind in loaded)) loaded[kind] = load ? await load() : all.reference;
    },
    choose(kind) {
      chosen.current = loaded[kind]!;
    },
  });
  return chosen;
}

/** Loads the implementations of a kind, which `chooseImplementations` requires. */
export async function loadImplementations(kind: ImplementationKind): Promise<void> {
  await Promise.all(tables.map((table) => table.load(kind)));
}

/** Makes every op use its implementation of this kind. @returns the previous kind */
export function chooseImplementations(kind: ImplementationKind): ImplementationKind {
  const before = chosenKind;
  for (const table of tables) table.choose(kind);
  chosenKind = kind;
  return before;
}
