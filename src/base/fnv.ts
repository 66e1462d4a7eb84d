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
