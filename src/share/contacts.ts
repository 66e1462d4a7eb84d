/** Servers from which a run fetches files. The page lists them before the first request. */
import type { RunConfig } from '../run/config/config';
import { adapterPlaceOf } from '../run/config/saved-adapter';

export interface Contact {
  what: 'model' | 'adapter';
  /** URL of the folder or repository. */
  address: string;
  /** Host name of the server, with the port unless it is the default. */
  host: string;
}

const hub = 'https://huggingface.co/';

function contact(what: Contact['what'], address: string): Contact {
  return { what, address, host: new URL(address).host };
}

/** @param base URL of the page; its own server is left out */
export function contactsOf(config: RunConfig, base: string): Contact[] {
  const { model } = config;
  const contacts: Contact[] = [];
  if (model.kind === 'hub') contacts.push(contact('model', hub + model.repository.split(':')[0]));
  if (model.kind === 'url') contacts.push(contact('model', model.url));
  const adapter = adapterPlaceOf(config);
  if (adapter?.kind === 'hub') contacts.push(contact('adapter', hub + adapter.repository));
  if (adapter?.kind === 'url') contacts.push(contact('adapter', adapter.url));
  return contacts.filter(({ address }) => new URL(address).origin !== new URL(base).origin);
}

/** True if the page's content security policy allows requests to the address (`scripts/build/content-security-policy.ts`). */
export function isAllowed(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.0\.0\.1)$/.test(hostname));
}
