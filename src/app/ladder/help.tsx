/** What a word of the first screen means, and the story behind its question: one press away, and fetched after the page stands. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { later } from '../ui/later';
import type { Topic } from './explained';

const Explained = later(() => import('./explained').then((part) => part.Explained));
const Story = later(() => import('./explained').then((part) => part.Story));

export function Help({ about }: { about: Topic }) {
  return (
    <Behind label={`Explain ${about}`} words="?">
      <Explained about={about} />
    </Behind>
  );
}

/** A question whose story is a press away: that of the moment it is pressed at, for the next one comes soon. */
export function Asked({ question, prompt }: { question: string; prompt: string }) {
  const told = useSignal(prompt);
  return (
    <Behind words={question} onClick={() => (told.value = prompt)}>
      <Story prompt={told.value} />
    </Behind>
  );
}

function Behind(props: { label?: string; words: string; onClick?: () => void; children: ComponentChildren }) {
  const id = useId();
  const { label, words, onClick, children } = props;
  return (
    <span class={label === undefined ? 'term' : 'term help'}>
      <button type="button" aria-label={label} popovertarget={id} onClick={onClick}>
        {words}
      </button>
      <span id={id} popover="auto">
        {children}
      </span>
    </span>
  );
}
