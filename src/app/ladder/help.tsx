/** What a word of the first screen means, and the story behind its question: fetched after the page stands. */
import { useSignal } from '@preact/signals';
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

/** A question whose story is a press away: that of the moment it is pressed at, for the next one comes soon. */
export function Asked({ question, prompt }: { question: string; prompt: string }) {
  const told = useSignal(prompt);
  return (
    <span class="term">
      <Behind words={question} onClick={() => (told.value = prompt)}>
        <Story prompt={told.value} />
      </Behind>
    </span>
  );
}
