/** Returns the seed of an address such as `#ladder=77`; null for any other address. */
export function readLadder(hash: string): number | null {
  const seed = new URLSearchParams(hash.slice(1)).get('ladder') ?? '';
  return /^\d{1,6}$/.test(seed) ? Number(seed) : null;
}
