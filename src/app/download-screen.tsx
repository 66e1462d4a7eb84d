/** Asks before anything is fetched: how much, from where, what it needs here, where it will be. */
import { useEffect, useRef } from 'preact/hooks';
import type { Question, Session } from './session';

const units = ['bytes', 'kB', 'MB', 'GB'];

/** `988 MB`: three digits are enough for a size. */
function sizeWords(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`;
}

export function DownloadScreen({ session, question }: { session: Session; question: Question }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [question]);
  const { host, what, bytes, parameters, memory, refusal } = question.preflight;
  const storage = session.capabilities.value?.storage ?? null;
  const adapter = session.capabilities.value?.adapter ?? null;
  return (
    <section class="screen asks" aria-labelledby="download-title">
      <h2 id="download-title" ref={heading} tabIndex={-1}>
        This run needs a download of {sizeWords(bytes)}
      </h2>
      <ul>
        <li>
          From <b>{host}</b>: {what}, a model of {(parameters / 1e6).toPrecision(3)} million parameters.
        </li>
        <li>
          It goes to this computer’s memory, and training it takes about <b>{sizeWords(memory)}</b>
          {adapter === null
            ? '. This browser offers no WebGPU: the CPU is too slow for a model of this size.'
            : ` on ${adapter}.`}
        </li>
        {storage === null ? null : (
          <li>
            This browser says it has {sizeWords(Math.max(0, storage.quota - storage.usage))} of storage left,
            which is an estimate. Deleting the site’s data in the browser’s settings removes all that Marble
            has stored.
          </li>
        )}
      </ul>
      {refusal === null ? null : (
        <p>
          <b>It will not run here.</b> {refusal.message} {refusal.nextStep}
        </p>
      )}
      <div class="actions">
        {refusal === null ? (
          <button type="button" class="primary" onClick={() => void session.answer(true)}>
            Download {sizeWords(bytes)} and train
          </button>
        ) : null}
        <button type="button" onClick={() => void session.answer(false)}>
          No, go back
        </button>
      </div>
    </section>
  );
}
