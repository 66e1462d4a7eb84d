/** Cache of bind groups. Creating the group is most of the cost of recording a command. */

/** Several training passes of a model of 30 layers. Each pass gets the same buffers from the pool as the pass before. */
const KEPT_GROUPS = 16384;

export class BindGroups {
  private readonly groups = new Map<string, GPUBindGroup>();
  /** IDs of layouts and buffers, from which the keys of `groups` are built. */
  private readonly numbers = new WeakMap<object, number>();
  private numbered = 0;

  /** @param uniforms bound at binding 0 of every group */
  constructor(
    private readonly device: GPUDevice,
    private readonly uniforms: GPUBuffer,
  ) {}

  /** Returns the bind group of these buffers, which follow the uniforms. */
  of(layout: GPUBindGroupLayout, uniformBytes: number, bound: readonly GPUBufferBinding[]): GPUBindGroup {
    let key = `${this.numberOf(layout)}`;
    for (const { buffer, offset, size } of bound)
      key += ` ${this.numberOf(buffer)} ${offset ?? ''} ${size ?? ''}`;
    let group = this.groups.get(key);
    if (group) return group;
    const entries = [{ buffer: this.uniforms, size: uniformBytes }, ...bound];
    group = this.device.createBindGroup({
      layout,
      entries: entries.map((resource, binding) => ({ binding, resource })),
    });
    if (this.groups.size >= KEPT_GROUPS) this.groups.clear();
    this.groups.set(key, group);
    return group;
  }

  private numberOf(thing: object): number {
    let number = this.numbers.get(thing);
    if (number === undefined) this.numbers.set(thing, (number = ++this.numbered));
    return number;
  }
}
