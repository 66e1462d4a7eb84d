/** Hashes: SHA-256 of bytes in memory, FNV-1a of texts, and random identifiers. */

/** Browsers offer `crypto.subtle` only in secure contexts, not over plain http. @returns 64 hexadecimal digits */
export async function sha256(bytes: BufferSource): Promise<string> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  if (subtle !== undefined) return hex(await subtle.digest('SHA-256', bytes));
  const { sha256: hash } = await import('@noble/hashes/sha2.js');
  const { buffer, byteOffset, byteLength } = ArrayBuffer.isView(bytes) ? bytes : new Uint8Array(bytes);
  return hex(hash(new Uint8Array(buffer, byteOffset, byteLength)).buffer);
}

/** Random identifier of 128 bits as 32 hexadecimal digits. */
export const newId = (): string => hex(crypto.getRandomValues(new Uint8Array(16)).buffer);

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * 32-bit FNV-1a of the text's UTF-8 bytes (http://www.isthe.com/chongo/tech/comp/fnv). It is not a cryptographic hash.
 *
 * @param hash of the preceding text, to hash a text in pieces
 */
export function fnv1a(text: string, hash = OFFSET_BASIS): number {
  let value = hash;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, PRIME);
  return value >>> 0;
}
