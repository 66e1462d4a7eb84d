/** Holding a trace against the world it speaks of, whichever world that is. */
import type { Item } from '../tom/item';
import type { NanoWorld } from '../tom/nano-world';
import { checkNanoTrace } from './nano-trace';
import type { TraceCheck } from './types';

/** The statements of a trace with their verdicts; null where no simulated world stands behind the item. */
export function checkTrace(think: string, item: Item): TraceCheck | null {
  if (item.world === undefined) return null;
  return checkNanoTrace(think, item.world as NanoWorld);
}
