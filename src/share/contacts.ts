/** What a run fetches from other servers: the visitor is told all of it before the first request. */
import type { RunConfig } from '../run/config/config';

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
export function contactsOf({ model, training }: RunConfig, base: string): Contact[] {
  const contacts: Contact[] = [];
  if (model.kind === 'hub') contacts.push(contact('model', hub + model.repository.split(':')[0]));
  if (model.kind === 'url') contacts.push(contact('model', model.url));
  const adapter = training.mode === 'lora' ? (training.adapter ?? '') : '';
  const repository = /^hub:(.*)@/.exec(adapter)?.[1];
  if (repository !== undefined) contacts.push(contact('adapter', hub + repository));
  else if (/^https?:/.test(adapter)) contacts.push(contact('adapter', adapter));
  return contacts.filter(({ address }) => new URL(address).origin !== new URL(base).origin);
}

/** Whether the page's content security policy lets an address be fetched (`scripts/build/content-security-policy.ts`). */
export function isAllowed(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.0\.0\.1)$/.test(hostname));
}
