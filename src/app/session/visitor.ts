/**
 * Messages and questions to the visitor: errors, waits that the visitor may cancel, and requests for consent. The page asks
 * for consent to each server that a run would contact, once per host, and to the download of its model.
 */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { MarbleError, toErrorReport, type ErrorReport } from '../../base/error';
import type { RunConfig } from '../../run/config/config';
import { contactsOf, isAllowed, type Contact } from '../../share/contacts';
import type { Preflight } from '../../../workers/protocol';

type Subject = { contacts: readonly Contact[]; config: RunConfig } | { preflight: Preflight };

export type Question = Subject & { answer(agreed: boolean): void };

/** A wait outside of a run, described in words. */
export interface Wait {
  words: string;
  cancel: () => void;
}

/** Errors that follow from the visitor's own cancelling, stopping or closing, so the screen does not show them. */
const ofVisitor = ['model/aborted', 'app/stopped-early', 'app/worker-closed'];

/** @param onError - receives every error that the screen shows */
export function createVisitor(base: string, onError: (error: ErrorReport) => void) {
  /** Error that replaces the introduction until it is answered. */
  const screen = signal<ErrorReport | null>(null);
  /** Message during training: storage failed, the browser paused the tab. */
  const notice = signal<ErrorReport | null>(null);
  const question = signal<Question | null>(null);
  const waits = signal<readonly Wait[]>([]);
  const agreed = new Set<string>();

  function tell(thrown: unknown): void {
    const error = toErrorReport(thrown);
    if (ofVisitor.includes(error.code)) return;
    screen.value = error;
    onError(error);
  }

  /** Declines the open question, which a newer request replaces. */
  const decline = (): void => question.value?.answer(false);

  function askVisitor(subject: Subject): Promise<boolean> {
    decline();
    return new Promise((resolve) => {
      question.value = {
        ...subject,
        answer(isAgreed) {
          question.value = null;
          resolve(isAgreed);
        },
      };
    });
  }

  /** Resolves to whether a run may contact its servers. Asks about servers without consent. */
  async function mayContact(config: RunConfig): Promise<boolean> {
    const contacts = contactsOf(config, base);
    const blocked = contacts.find(({ address }) => !isAllowed(address));
    if (blocked !== undefined) {
      tell(
        new MarbleError(
          'app/blocked-address',
          `This page does not fetch from ${blocked.address}: it is neither https nor on this computer.`,
          'Give an address that begins with https://, or download the files and choose them here.',
        ),
      );
      return false;
    }
    const open = contacts.filter(({ host }) => !agreed.has(host));
    const isAgreed = open.length === 0 || (await askVisitor({ contacts: open, config }));
    for (const { host } of isAgreed ? open : []) agreed.add(host);
    return isAgreed;
  }

  /**
   * Shows the words until the work settles or the visitor cancels.
   *
   * @param give - called when the visitor cancels
   * @returns null if the visitor cancels, and on an error, which the screen shows
   */
  async function waitFor<T>(words: string, work: Promise<T>, give: () => void): Promise<T | null> {
    let cancel!: () => void;
    const cancelled = new Promise<null>((resolve) => {
      cancel = () => {
        resolve(null);
        give();
      };
    });
    const wait = { words, cancel };
    waits.value = [...waits.value, wait];
    try {
      return await Promise.race([work, cancelled]);
    } catch (thrown) {
      tell(thrown);
      return null;
    } finally {
      waits.value = waits.value.filter((other) => other !== wait);
    }
  }

  return {
    screen,
    notice,
    tell,
    /** The latest wait. */
    waiting: computed(() => waits.value.at(-1) ?? null),
    waitFor,
    question: question as ReadonlySignal<Question | null>,
    decline,
    askVisitor,
    mayContact,
    /** True if the model is part of this page, or if its host has consent. */
    mayReadModel: (config: RunConfig): boolean =>
      contactsOf(config, base).every(({ what, host }) => what !== 'model' || agreed.has(host)),
    /** Records the consent for a host that the visitor has asked for. */
    agree: (host: string) => void agreed.add(host),
  };
}
