/** What a run fetches from other servers: the visitor is told all of it before the first request. */
import type { RunConfig } from '../run/config/config';
import { adapterPlaceOf } from '../run/config/saved-adapter';

export interface Contact {
  what: 'model' | 'adapter';
  /** The folder or repository that it comes from. */
  address: string;
  /** The server's name, and its port where it is not the usual one. */
  host: string;
}

const hub = 'https://huggingface.co/';

function contact(what: Contact['what'], address: string): Contact {
  return { what, address, host: new URL(address).host };
}

/** @param base - address of the page, whose own server needs no question */
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

/** Whether the page's content security policy lets an address be fetched (`scripts/build/content-security-policy.ts`). */
export function isAllowed(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.0\.0\.1)$/.test(hostname));
}
