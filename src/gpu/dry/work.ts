/** Work that a dry engine counts. */
export interface Work {
  /** Multiplications and additions. Other operations count in proportion to their time. */
  flops: number;
  /** Number of kernel calls. Each has a fixed overhead. */
  calls: number;
}
