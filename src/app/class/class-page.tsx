/** The place of a class: prepare the link that all students open, and read what they send back. */
import type { Page } from '../page';
import { ClassLink } from './class-link';
import { ClassResults } from './class-results';

export function ClassPage({ page }: { page: Page }) {
  return (
    <>
      <div class="place-head">
        <h1 tabIndex={-1}>A class</h1>
        <p class="lead">
          One run is an anecdote, and a room full of laptops is an experiment: every student runs a seed of
          their own, and here the runs come together. There is no account and no server: the link goes out,
          and files come back.
        </p>
      </div>
      <ClassLink page={page} />
      <ClassResults page={page} />
    </>
  );
}
