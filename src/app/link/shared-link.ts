/** What a link has brought: the sender's run, before it is made here and when it is held against the sender's. */
import type { ChosenBackend } from '../../../workers/protocol';
import type { RunConfig } from '../../run/config/config';

export interface SharedLink {
  config: RunConfig;
  /** The sender's run in hashes (`share/run-fingerprint.ts`); null where the link holds settings alone. */
  fingerprint: string | null;
  /** On what the sender's run computed, where the link says so. */
  backend: ChosenBackend['backend'] | null;
}
