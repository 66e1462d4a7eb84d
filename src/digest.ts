/** SHA-256 of what lies in memory. Browsers keep their own from pages that are served over plain http. */

/** @returns 64 hexadecimal digits */
export async function sha256(bytes: BufferSource): Promise<string> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  if (subtle === undefined) {
    const { createSha256 } = await import('./sha256');
    const hash = createSha256();
    hash.update(
      ArrayBuffer.isView(bytes)
        ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        : new Uint8Array(bytes),
    );
    return hash.digest();
  }
  return hex(new Uint8Array(await subtle.digest('SHA-256', bytes)));
}

/** A name that no other run has (a UUID of version 4), also over plain http. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
