/**
 * WGSL that sums over a workgroup: every invocation leaves its share in workgroup memory and, after one barrier, adds up
 * all of them by itself, which costs less than the six barriers of a tree.
 */
import type { AdapterTraits } from '../../gpu/capabilities';

/** Invocations of a workgroup: a software adapter runs four in one vector register and pays for every further one at each barrier. */
export const sharingThreads = ({ isSoftware }: Pick<AdapterTraits, 'isSoftware'>): number =>
  isSoftware ? 4 : 64;

/** Statement that adds to `sum` the `count` shares in `array` from element `first` on. */
export const addShares = (count: number, array: string, first: string, sum: string): string =>
  `for (var t = 0u; t < ${count}u; t++) { ${sum} += ${array}[${first} + t]; }`;
