/** Part of `Blob` that readers of a file use: its size, and its bytes on demand. */
export interface BytesToRead {
  readonly size: number;
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer>; text(): Promise<string> };
}

/** Reads a stream to its end. Cancels it and returns null if it exceeds `most` bytes. */
export async function readWithin(
  most: number,
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(pieces).arrayBuffer());
    size += value.length;
    if (size > most) {
      await reader.cancel();
      return null;
    }
    pieces.push(value);
  }
}
