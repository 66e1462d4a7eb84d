/** The place of a class: prepare the link that all students open, and read what they send back. */
import type { Page } from '../page';
import { Doc } from '../words/doc-link';
import { ClassLink } from './class-link';
import { results } from './class-state';
import { ClassResults } from './class-results';

export function ClassPage({ page }: { page: Page }) {
  const hasRuns = results.value.runs.length > 0;
  return (
    <>
      <div class="place-head">
        <h1 tabIndex={-1}>A class</h1>
        <p class="lead">
          One run is an anecdote, and a room full of laptops is an experiment: every student runs another seed
          or another arm, and here the runs come together. There is no account and no server: the link goes
          out, and files or codes come back. <Doc name="workshop">A plan of 45 minutes</Doc> is beside.
        </p>
      </div>
      {hasRuns ? null : <ClassLink page={page} />}
      <ClassResults page={page} />
      {hasRuns ? (
        <details class="on-screen">
          <summary>Prepare another link</summary>
          <ClassLink page={page} />
        </details>
      ) : null}
    </>
  );
}
