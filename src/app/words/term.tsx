/** A word of the field where it first stands, with what it means behind it. */
import type { ComponentChildren } from 'preact';
import { Behind } from '../ui/behind';
import { later } from '../ui/later';
import type { Word } from './glossary';

const Meaning = later(() =>
  import('./glossary').then(({ glossary }) => ({ word }: { word: Word }) => <>{glossary[word]}</>),
);

/** @param children - the form that the sentence takes; the word itself where left out */
export function Term({ word, children = word }: { word: Word; children?: ComponentChildren }) {
  return (
    <dfn class="term">
      <Behind words={children}>
        <b>{word}</b>: <Meaning word={word} />
      </Behind>
    </dfn>
  );
}
