/**
 * Which kind of world stands behind an item. Whatever reads a world switches over `kind`, without a default, so that the
 * type checker names every place that a new kind must be known at.
 */
import type { Item } from './item';
import type { NanoWorld } from './nano-world';
import type { SwapWorld } from './swap-world';
import type { World } from './world';

export type ItemWorld =
  | { kind: 'nano'; world: NanoWorld }
  | { kind: 'swap'; world: SwapWorld }
  /** Told as actions (`simulate.ts`): every data set but those above. */
  | { kind: 'story'; world: World };

/** Null where no simulated world stands behind the item. */
export function itemWorld({ dataset, world }: Item): ItemWorld | null {
  if (world === undefined) return null;
  if (dataset === 'nano') return { kind: 'nano', world: world as NanoWorld };
  if (dataset === 'swap') return { kind: 'swap', world: world as SwapWorld };
  return { kind: 'story', world: world as World };
}
