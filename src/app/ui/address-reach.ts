/** Addresses of this page for its links, and whether others can open them. */

const loopback = /^(.*\.)?localhost$|^127(\.\d+){3}$|^0\.0\.0\.0$|^\[::1?\]$/;

/** @returns whether the address opens on this computer only */
export function isForThisComputer({ protocol, hostname }: { protocol: string; hostname: string }): boolean {
  return protocol === 'file:' || loopback.test(hostname);
}

/** Warning for a copied link; empty if others can open it. */
export function reachWords(address: { protocol: string; hostname: string } = location): string {
  return isForThisComputer(address)
    ? ' The link opens on this computer only: others cannot reach this address.'
    : '';
}

/** @param hash - for example from `encodeLink` */
export function addressWith(hash: string): string {
  const address = new URL(location.href);
  address.hash = hash;
  return address.href;
}
