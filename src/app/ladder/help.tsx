/** What a word of the first screen means, and the story behind its question: fetched after the page stands. */
import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Behind } from '../ui/behind';
import { later } from '../ui/later';
import type { Topic } from './explained';

const Explained = later(() => import('./explained').then((part) => part.Explained));
const Story = later(() => import('./explained').then((part) => part.Story));

/** @param props.often - how often the shortcut is right, where that is asked for */
export function Help({ about, often }: { about: Topic; often?: number }) {
  return (
    <span class="term help">
      <Behind label={`Explain ${about}`} words="?">
        <Explained about={about} often={often} />
      </Behind>
    </span>
  );
}

/** A question whose story is a press away; `isRead` while it is open, so that the card waits for its reader. */
export function Asked(props: { question: string; prompt: string; isRead: Signal<boolean> }) {
  const { question, prompt, isRead } = props;
  useEffect(() => () => void (isRead.value = false), []); // who goes elsewhere has closed it
  return (
    <span class="term">
      <Behind words={question} onToggle={(isOpen) => (isRead.value = isOpen)}>
        <Story prompt={prompt} />
      </Behind>
    </span>
  );
}
