const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * FNV-1a with 32 bits over UTF-8 (http://www.isthe.com/chongo/tech/comp/fnv): tells texts apart, and hides nothing.
 *
 * @param hash of the text before, to go on from
 */
export function fnv1a(text: string, hash = OFFSET_BASIS): number {
  let value = hash;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, PRIME);
  return value >>> 0;
}
