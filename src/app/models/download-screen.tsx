/** Asks before a request or a download. Shows source, size, memory, time and storage. */
import { useEffect, useRef } from 'preact/hooks';
import type { Session } from '../session/session';
import type { Question } from '../session/visitor';
import { durationWords } from '../../run/estimate';
import { planWords, usePlan } from '../page/planned';
import { realModelOf } from '../words/real-models';
import { sizeWords, weightsWords } from '../words/sizes';

type About<Subject> = Extract<Question, Subject>;

export function DownloadScreen(props: { session: Session; question: About<{ preflight: unknown }> }) {
  const { session, question } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [question]);
  const { isOnHub, what, bytes, missing, planned } = question.preflight;
  const { parameters, memory, seconds, refusal } = planned;
  const storage = session.capabilities.value?.storage ?? null;
  /** Null for a run on the CPU. */
  const adapter = planned.backend === 'webgpu' ? (session.capabilities.value?.adapter ?? null) : null;
  return (
    <section class="screen asks" aria-labelledby="download-title">
      <h2 id="download-title" ref={heading} tabIndex={-1}>
        {missing === 0
          ? 'This run’s model is here already'
          : `This run needs a download of ${sizeWords(missing)}`}
      </h2>
      <ul>
        <li>
          {isOnHub ? (
            <>
              From <b>huggingface.co</b>
            </>
          ) : (
            'Your own files'
          )}
          : {what}, a model of {weightsWords(parameters)}.{isOnHub ? keptWords(bytes, missing) : ''}
        </li>
        <li>
          It goes to this computer’s memory, and training it takes about <b>{sizeWords(memory)}</b>
          {adapter === null ? '' : ` on ${adapter}`}.
        </li>
        <li>
          Training takes at most about <b>{durationWords(seconds)}</b> on{' '}
          {planned.backend === 'webgpu' ? 'the GPU' : 'the CPU'} of this computer, and less where answers are
          shorter.
        </li>
        {isOnHub ? (
          <li>
            This browser’s storage keeps the files, so they are fetched once; a broken download resumes where
            it stopped. You can delete them under “Models kept in this browser”.
            {storage === null
              ? ''
              : ` The browser says it has ${sizeWords(Math.max(0, storage.quota - storage.usage))} free, which is an estimate; where there is no room the model is used without being kept.`}
          </li>
        ) : null}
      </ul>
      {refusal === null ? null : (
        <p>
          <b>It will not run here.</b> {refusal.message} {refusal.nextStep}
        </p>
      )}
      <div class="actions">
        {refusal === null ? (
          <button class="primary" onClick={() => question.answer(true)}>
            {missing === 0 ? 'Train' : `Download ${sizeWords(missing)} and train`}
          </button>
        ) : null}
        <button onClick={() => question.answer(false)}>No, go back</button>
      </div>
    </section>
  );
}

const keptWords = (bytes: number, missing: number): string =>
  missing === bytes
    ? ''
    : missing === 0
      ? ` All of its ${sizeWords(bytes)} are kept here.`
      : ` ${sizeWords(bytes - missing)} of its ${sizeWords(bytes)} are kept here.`;

/** Asks before the first request to the Hub. */
export function ConsentScreen(props: { session: Session; consent: About<{ contacts: unknown }> }) {
  const { session, consent } = props;
  const { config } = consent;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [consent]);
  const planned = usePlan(session, config);
  const size = realModelOf(config.model)?.download;
  return (
    <section class="screen asks" aria-labelledby="consent-title">
      <h2 id="consent-title" ref={heading} tabIndex={-1}>
        This run needs files from huggingface.co
      </h2>
      <ul>
        {consent.contacts.map(({ what, address }) => (
          <li key={what}>
            Its {what} is at <b>huggingface.co</b>: {address}
          </li>
        ))}
        {size === undefined ? null : <li>The download is {size}.</li>}
        {planned === null || planned.refusal !== null ? null : (
          <li>
            Training takes <b>{planWords(planned)}</b>.
          </li>
        )}
        <li>
          Nothing has been asked of it yet. A request tells a server this computer’s address and which file is
          wanted; the Hub sends large files from hosts of its own. Nothing of your data is sent.
        </li>
      </ul>
      <div class="actions">
        <button class="primary" onClick={() => consent.answer(true)}>
          Contact huggingface.co
        </button>
        <button onClick={() => consent.answer(false)}>No, go back</button>
      </div>
    </section>
  );
}
