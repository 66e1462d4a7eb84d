/**
 * Address of this page, for a link.
 *
 * @param hash - for example from `encodeLink`
 */
export function addressWith(hash: string): string {
  const address = new URL(location.href);
  address.hash = hash;
  return address.href;
}
