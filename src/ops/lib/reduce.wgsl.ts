/**
 * WGSL reduction over a workgroup. Every invocation writes its partial sum to workgroup memory. After one barrier, each
 * invocation adds all partial sums. This costs less than the six barriers of a tree reduction.
 */
import type { AdapterTraits } from '../../gpu/capabilities';

/**
 * Invocations per workgroup. A software adapter runs four in one vector register, and every further one adds cost at
 * each barrier.
 */
export const reduceThreads = ({ isSoftware }: Pick<AdapterTraits, 'isSoftware'>): number =>
  isSoftware ? 4 : 64;

/** Statement that adds to `sum` the `count` partial sums in `array`, starting at element `first`. */
export const reducePartials = (count: number, array: string, first: string, sum: string): string =>
  `for (var t = 0u; t < ${count}u; t++) { ${sum} += ${array}[${first} + t]; }`;
