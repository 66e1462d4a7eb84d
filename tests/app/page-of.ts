import { signal } from '@preact/signals';
import type { Page } from '../../src/app/page/page';
import { run } from '../share/run-content';

/** As much of the page as its lists ask for, with these parts of its session and of itself. */
export function pageOf(session: object, more: object = {}): Page {
  const page = {
    session: { runs: signal([]), unread: signal([]), unkept: signal([]), activity: signal('idle'), wish: signal('automatic'), overlays: signal([]), shown: signal(null), stage: signal(''), trainers: signal([]), trainsHere: () => false, ...session }, // prettier-ignore
    ...{
      ladder: { isGuessed: signal(true) },
      places: {},
      lesson: signal(false),
      draft: signal(run.history.record.config),
      ...more,
    },
  };
  return page as unknown as Page;
}
