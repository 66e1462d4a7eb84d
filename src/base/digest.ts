/** SHA-256 of bytes in memory. Browsers offer `crypto.subtle` only in secure contexts, not over plain http. */

/** @returns 64 hexadecimal digits */
export async function sha256(bytes: BufferSource): Promise<string> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  return subtle === undefined
    ? (await import('./sha256')).sha256Of(bytes)
    : hex(await subtle.digest('SHA-256', bytes));
}

/** Random identifier of 128 bits as 32 hexadecimal digits. */
export const newId = (): string => hex(crypto.getRandomValues(new Uint8Array(16)).buffer);

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
