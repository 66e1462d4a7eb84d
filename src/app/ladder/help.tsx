/** Explanation of a word of the first screen, fetched after the page is drawn. */
import { Behind } from '../ui/behind';
import { later } from '../ui/later';
import type { Topic } from './explained';

const Explained = later(() => import('./explained').then((part) => part.Explained));

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
