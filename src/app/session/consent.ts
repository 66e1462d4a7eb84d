/**
 * Asks for the visitor's consent to the servers that a run would contact, once per page and host, before the first request.
 */
import { signal, type ReadonlySignal } from '@preact/signals';
import { MarbleError } from '../../base/error';
import type { RunConfig } from '../../run/config/config';
import { contactsOf, isAllowed, type Contact } from '../../share/contacts';

export interface Consent {
  contacts: readonly Contact[];
  answer(agreed: boolean): void;
}

export type MayContact = (config: RunConfig) => Promise<boolean>;

/** @param onError - receives an error for an address that the page's policy blocks */
export function createConsents(base: string, onError: (error: MarbleError) => void) {
  const asked = signal<Consent | null>(null);
  const agreed = new Set<string>();
  /** Resolves to whether a run may contact its servers. Asks about servers without consent. */
  function mayContact(config: RunConfig): Promise<boolean> {
    const contacts = contactsOf(config, base);
    const blocked = contacts.find(({ address }) => !isAllowed(address));
    if (blocked !== undefined) {
      const error = new MarbleError(
        'app/blocked-address',
        `This page does not fetch from ${blocked.address}: it is neither https nor on this computer.`,
        'Give an address that begins with https://, or download the files and choose them here.',
      );
      onError(error);
      return Promise.resolve(false);
    }
    const open = contacts.filter(({ host }) => !agreed.has(host));
    asked.value?.answer(false); // replaced by this one
    if (open.length === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      asked.value = {
        contacts: open,
        answer(isAgreed) {
          asked.value = null;
          for (const { host } of isAgreed ? open : []) agreed.add(host);
          resolve(isAgreed);
        },
      };
    });
  }

  return {
    asked: asked as ReadonlySignal<Consent | null>,
    mayContact,
    /** True if the model is part of this page, or if its host has consent. */
    mayReadModel: (config: RunConfig): boolean =>
      contactsOf(config, base).every(({ what, host }) => what !== 'model' || agreed.has(host)),
    /** Records the consent for a host that the visitor has asked for. */
    agree: (host: string) => void agreed.add(host),
  };
}
