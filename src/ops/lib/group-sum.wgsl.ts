/**
 * WGSL that sums over a workgroup. The plain way goes through workgroup memory: every invocation leaves its share there
 * and, after one barrier, adds up all of them by itself, which costs less than the six barriers of a tree. Where there are
 * subgroups each adds up its own shares in registers first, so that a fraction of the memory and of the additions is left.
 *
 * That a subgroup's invocations stand side by side is what GPUs do and the specification does not promise: the kernels
 * are compared with the plain ones before they are used (verify/subgroups.ts).
 */
import type { AdapterTraits } from '../../gpu/capabilities';

export interface SummingGroup {
  /** Invocations of the workgroup. */
  threads: number;
  /** Least invocations of a subgroup; 0 for the plain way. */
  subgroupSize: number;
}

/** A software adapter runs a workgroup of four in one vector register and pays for every further one at each barrier. */
export function summingGroup({ isSoftware, subgroupSize }: AdapterTraits): SummingGroup {
  const threads = isSoftware ? 4 : 64;
  return { threads, subgroupSize: Math.min(threads, subgroupSize) };
}

/** Values that `leaveShare` leaves in workgroup memory. */
export function shareCount({ threads, subgroupSize }: SummingGroup): number {
  return subgroupSize === 0 ? threads : Math.ceil(threads / subgroupSize);
}

/** Statement that leaves the part of a sum of this invocation, `local.x` among its threads, in `array`, from element `first` on. */
export function leaveShare(group: SummingGroup, array: string, first: string, value: string): string {
  if (group.subgroupSize === 0) return `${array}[${first} + local.x] = ${value};`;
  return `{
    let part = subgroupAdd(${value});
    if (subgroup_lane == 0u) { ${array}[${first} + local.x / subgroup_size] = part; }
  }`;
}

/** Statement that adds to `sum`, after a barrier, what `leaveShare` has left. */
export function addShares(
  { threads, subgroupSize }: SummingGroup,
  array: string,
  first: string,
  sum: string,
): string {
  const count = subgroupSize === 0 ? `${threads}u` : `(${threads}u + subgroup_size - 1u) / subgroup_size`;
  return `for (var t = 0u; t < ${count}; t++) { ${sum} += ${array}[${first} + t]; }`;
}
