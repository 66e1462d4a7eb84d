/** The addresses of this page in its links, and whether they open for others. */

const loopback = /^(.*\.)?localhost$|^127(\.\d+){3}$|^0\.0\.0\.0$|^\[::1?\]$/;

/** @returns whether an address of this page leads nowhere on another computer */
export function isForThisComputer({ protocol, hostname }: { protocol: string; hostname: string }): boolean {
  return protocol === 'file:' || loopback.test(hostname);
}

/** What is said where a link is copied: nothing where others can open it. */
export function reachWords(address: { protocol: string; hostname: string } = location): string {
  return isForThisComputer(address)
    ? ' The link opens on this computer only: others cannot reach this address.'
    : '';
}

/** @param hash - such as `encodeLink` gives */
export function addressWith(hash: string): string {
  const address = new URL(location.href);
  address.hash = hash;
  return address.href;
}
