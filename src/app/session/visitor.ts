/**
 * Messages and questions to the visitor: errors, waits that the visitor may cancel, and requests for consent. The page asks
 * once before it contacts the Hugging Face Hub, and before the download of a model.
 */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { toErrorReport, type ErrorReport } from '../../base/error';
import type { RunConfig } from '../../run/config/config';
import { contactsOf, type Contact } from '../../share/contacts';
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
export function createVisitor(onError: (error: ErrorReport) => void) {
  /** Error that replaces the introduction until it is answered. */
  const screen = signal<ErrorReport | null>(null);
  /** Message beside the content: storage failed, the browser paused the tab, fields of a link were left out. */
  const notice = signal<ErrorReport | null>(null);
  const question = signal<Question | null>(null);
  const waits = signal<readonly Wait[]>([]);
  /** True if the visitor has agreed to contact the Hub. */
  let hasAgreed = false;

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

  /** Resolves to whether a run may contact the Hub, if it needs files from there. Asks without consent. */
  async function mayContact(config: RunConfig): Promise<boolean> {
    const contacts = contactsOf(config);
    if (contacts.length === 0 || hasAgreed) return true;
    const isAgreed = await askVisitor({ contacts, config });
    hasAgreed ||= isAgreed;
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
    /** Names the fields of a link or a file that this version does not know. */
    tellIgnored(source: 'link' | 'file', fields: readonly string[] = []): void {
      const shown = notice.value?.code ?? '';
      if (fields.length === 0 && shown === 'app/fields-ignored') notice.value = null; // of the link before
      if (fields.length === 0 || shown.startsWith('store/')) return;
      notice.value = {
        code: 'app/fields-ignored',
        message: `The ${source} holds fields that this version does not know and has left out: ${fields.join(', ')}.`,
        nextStep: 'Everything else is as it states.',
      };
    },
    /** The latest wait. */
    waiting: computed(() => waits.value.at(-1) ?? null),
    waitFor,
    question: question as ReadonlySignal<Question | null>,
    decline,
    askVisitor,
    mayContact,
    /** True if the model is not on the Hub, or if the Hub has consent. */
    mayReadModel: ({ model }: RunConfig): boolean => model.kind !== 'hub' || hasAgreed,
    /** Records the consent of a visitor who has asked for something of the Hub. */
    agree: () => void (hasAgreed = true),
  };
}
