/** Asks before a request or a download. Shows source, size, memory, time and storage. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Session } from '../session/session';
import type { Question } from '../session/visitor';
import { planWords, usePlan } from '../page/planned';
import { realModelOf } from '../words/real-models';
import { sizeWords, weightsWords } from '../words/sizes';

type About<Subject> = Extract<Question, Subject>;

/** @param props.yes - words of the button that agrees; null where that is not possible */
function Asks(props: {
  question: Question;
  title: string;
  facts: readonly ComponentChildren[];
  yes: string | null;
}) {
  const { question, title, facts, yes } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [question]);
  return (
    <section class="screen asks" aria-labelledby="question-title">
      <h2 id="question-title" ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <ul>{facts.map((fact, index) => (fact === null ? null : <li key={index}>{fact}</li>))}</ul>
      <div class="actions">
        {yes === null ? null : (
          <button class="primary" onClick={() => question.answer(true)}>
            {yes}
          </button>
        )}
        <button onClick={() => question.answer(false)}>No, go back</button>
      </div>
    </section>
  );
}

export function DownloadScreen(props: { session: Session; question: About<{ preflight: unknown }> }) {
  const { session, question } = props;
  const { isOnHub, what, bytes, missing, planned } = question.preflight;
  const { refusal } = planned;
  const { storage = null, adapter = null } = session.capabilities.value ?? {};
  const size = sizeWords(missing);
  const isPartKept = missing > 0 && missing < bytes;
  const free = storage && sizeWords(Math.max(0, storage.quota - storage.usage));
  return (
    <Asks
      question={question}
      title={missing === 0 ? 'This run’s model is here already' : `This run needs a download of ${size}`}
      facts={[
        `${isOnHub ? 'From huggingface.co' : 'Your own files'}: ${what}, a model of ${weightsWords(planned.parameters)}.${
          isPartKept ? ` ${sizeWords(bytes - missing)} of its ${sizeWords(bytes)} are kept here.` : ''
        }`,
        <>
          Training takes <b>{planWords(planned)}</b>, on{' '}
          {planned.backend === 'webgpu' ? (adapter ?? 'the GPU') : 'the CPU'}.
        </>,
        isOnHub
          ? `This browser’s storage keeps the files, so they are fetched once; a broken download resumes where it stopped. You can delete them under “Models kept in this browser”. ${
              free === null
                ? ''
                : `The browser estimates that ${free} are free; without room the model is not kept.`
            }`
          : null,
        refusal && (
          <>
            <b>It will not run here.</b> {refusal.message} {refusal.nextStep}
          </>
        ),
      ]}
      yes={refusal !== null ? null : missing === 0 ? 'Train' : `Download ${size} and train`}
    />
  );
}

/** Asks before the first request to the Hub. */
export function ConsentScreen(props: { session: Session; consent: About<{ contacts: unknown }> }) {
  const { session, consent } = props;
  const planned = usePlan(session, consent.config) ?? null;
  const size = realModelOf(consent.config.model)?.download;
  return (
    <Asks
      question={consent}
      title="This run needs files from huggingface.co"
      facts={[
        ...consent.contacts.map(({ what, address }) => `Its ${what} is at huggingface.co: ${address}`),
        size === undefined ? null : `The download is ${size}.`,
        planned === null || planned.refusal !== null ? null : `Training takes ${planWords(planned)}.`,
        'Nothing has been asked of it yet. A request tells a server this computer’s address and which file is wanted; the Hub sends large files from hosts of its own. Nothing of your data is sent.',
      ]}
      yes="Contact huggingface.co"
    />
  );
}
