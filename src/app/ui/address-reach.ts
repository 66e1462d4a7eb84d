/** Addresses of this page for its links, and whether others can open them. */

const loopback = /^(.*\.)?localhost$|^127(\.\d+){3}$|^0\.0\.0\.0$|^\[::1?\]$/;

/** Warning for a copied link; empty if others can open it. */
export function reachWords({ protocol, hostname }: Pick<URL, 'protocol' | 'hostname'> = location): string {
  return protocol === 'file:' || loopback.test(hostname)
    ? ' The link opens on this computer only: others cannot reach this address.'
    : '';
}

/** @param hash - for example from `encodeLink` */
export function addressWith(hash: string): string {
  const address = new URL(location.href);
  address.hash = hash;
  return address.href;
}
