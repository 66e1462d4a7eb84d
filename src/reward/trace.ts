/** Holding a trace against the world it speaks of, whichever world that is. */
import type { Item } from '../tom/item';
import type { NanoWorld } from '../tom/nano-world';
import type { SwapWorld } from '../tom/swap-world';
import type { World } from '../tom/world';
import { checkEnglishTrace } from './english-trace';
import { checkNanoTrace } from './nano-trace';
import { checkSwapTrace } from './swap-trace';
import type { TraceCheck } from './types';

/** The statements of a trace with their verdicts; null where no simulated world stands behind the item. */
export function checkTrace(think: string, item: Item): TraceCheck | null {
  if (item.world === undefined) return null;
  if (item.dataset === 'nano') return checkNanoTrace(think, item.world as NanoWorld);
  if (item.dataset === 'swap') return checkSwapTrace(think, item.world as SwapWorld);
  return checkEnglishTrace(think, item.world as World);
}
