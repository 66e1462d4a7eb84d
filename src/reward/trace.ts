/** Holding a trace against the world it speaks of, whichever world that is. */
import type { Item } from '../tom/item';
import { itemWorld } from '../tom/worlds/item-world';
import { checkEnglishTrace } from './english-trace';
import { checkSwapTrace } from './swap-trace';
import type { TraceCheck } from './types';

/** The statements of a trace with their verdicts; null where no simulated world stands behind the item. */
export function checkTrace(think: string, item: Item): TraceCheck | null {
  const behind = itemWorld(item);
  if (behind === null) return null;
  switch (behind.kind) {
    case 'swap':
      return checkSwapTrace(think, behind.world);
    case 'story':
      return checkEnglishTrace(think, behind.world);
  }
}
