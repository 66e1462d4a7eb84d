/** Files that a run fetches from the Hugging Face Hub. The page lists them before the first request. */
import type { RunConfig } from '../run/config/config';
import { adapterPlaceOf } from '../run/config/saved-adapter';

export interface Contact {
  what: 'model' | 'adapter';
  /** URL of the repository. */
  address: string;
}

const hub = 'https://huggingface.co/';

export function contactsOf(config: RunConfig): Contact[] {
  const { model } = config;
  const contacts: Contact[] = [];
  if (model.kind === 'hub') contacts.push({ what: 'model', address: hub + model.repository.split(':')[0] });
  const adapter = adapterPlaceOf(config);
  if (adapter?.kind === 'hub') contacts.push({ what: 'adapter', address: hub + adapter.repository });
  return contacts;
}
