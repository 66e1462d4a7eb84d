/** What a reader of a file needs of a `Blob`: its size, and its parts on demand. */
export interface BytesToRead {
  readonly size: number;
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer>; text(): Promise<string> };
}
