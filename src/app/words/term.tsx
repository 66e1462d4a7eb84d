/** A word of the field where it first stands, with what it means behind it. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { later } from '../ui/later';
import type { Word } from './glossary';

const Meaning = later(() =>
  import('./glossary').then(({ glossary }) => ({ word }: { word: Word }) => <>{glossary[word]}</>),
);

/** @param children - the form that the sentence takes; the word itself where left out */
export function Term({ word, children = word }: { word: Word; children?: ComponentChildren }) {
  const id = useId();
  return (
    <dfn class="term">
      <button type="button" popovertarget={id}>
        {children}
      </button>
      <span id={id} popover="auto">
        <b>{word}</b>: <Meaning word={word} />
      </span>
    </dfn>
  );
}
