/** The saved adapter that a run starts from, as its configuration names it. */

/** The adapters that ship with the page, in `public/adapters`. */
export const shippedAdapters = ['rooms-135m'] as const;

const isShipped = (name: string): boolean => (shippedAdapters as readonly string[]).includes(name);

/** What `training.adapter` may be. */
export const adapterPattern =
  /^(hub:[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}@[0-9a-f]{40}|https?:\/\/(?=[\x21-\x7e]{1,504}$)[^/?#@]+(\/[^?#]*)?|files:[\w.-]{1,96}|ships:[\w.-]{1,64})$/;

export type AdapterPlace =
  | { kind: 'hub'; repository: string; revision: string }
  | { kind: 'url'; url: string }
  /** The visitor's own, by the name of their file. */
  | { kind: 'files'; name: string }
  /** One of `shippedAdapters`, or of an earlier version's. */
  | { kind: 'ships'; name: string };

/** A run's configuration, of which the adapter is read. */
interface Adapted {
  training: { mode: 'full' | 'lora'; adapter?: string };
}

/** Null for a fresh adapter, and where every weight is trained. */
export function adapterPlaceOf({ training }: Adapted): AdapterPlace | null {
  const { adapter } = training;
  if (adapter === undefined) return null;
  const [, repository, revision] = /^hub:(.*)@(.*)$/.exec(adapter) ?? [];
  if (repository !== undefined) return { kind: 'hub', repository, revision };
  const [, kind, name] = /^(files|ships):(.*)$/.exec(adapter) ?? [];
  if (kind !== undefined) return { kind: kind as 'files' | 'ships', name };
  return { kind: 'url', url: adapter };
}

/** What is wrong where the page ships no such adapter; a kept run may name it all the same. */
export function missingAdapter(config: Adapted): string | null {
  const place = adapterPlaceOf(config);
  if (place?.kind !== 'ships' || isShipped(place.name)) return null;
  return `training.adapter is ships:${place.name}; of adapters that ship there is ${shippedAdapters.join(', ')}.`;
}
