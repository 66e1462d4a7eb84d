/** Reference in a run configuration to the saved adapter that the run starts from. */

/** Adapters that ship with the page, in `public/adapters`. */
export const shippedAdapters = ['rooms-135m'] as const;

const isShipped = (name: string): boolean => (shippedAdapters as readonly string[]).includes(name);

/** Valid values of `training.adapter`. */
export const adapterPattern =
  /^(hub:[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}@[0-9a-f]{40}|files:[\w.-]{1,96}|ships:[\w.-]{1,64})$/;

export type AdapterPlace =
  | { kind: 'hub'; repository: string; revision: string }
  /** Local file of the visitor, by name. */
  | { kind: 'files'; name: string }
  /** One of `shippedAdapters`, of this version or an earlier one. */
  | { kind: 'ships'; name: string };

/** The part of a run configuration that names the adapter. */
interface Adapted {
  training: { mode: 'full' | 'lora'; adapter?: string };
}

/** Parses the adapter reference. Null for a fresh adapter and for full fine-tuning. */
export function adapterPlaceOf({ training }: Adapted): AdapterPlace | null {
  const { adapter } = training;
  if (adapter === undefined) return null;
  const [, repository, revision] = /^hub:(.*)@(.*)$/.exec(adapter) ?? [];
  if (repository !== undefined) return { kind: 'hub', repository, revision };
  const [kind, name] = adapter.split(':') as ['files' | 'ships', string];
  return { kind, name };
}

/** Error text for an adapter that does not ship with the page. Stored runs may still name such an adapter. */
export function missingAdapter(config: Adapted): string | null {
  const place = adapterPlaceOf(config);
  if (place?.kind !== 'ships' || isShipped(place.name)) return null;
  return `training.adapter is ships:${place.name}; of adapters that ship there is ${shippedAdapters.join(', ')}.`;
}
