/** The one bridge from plain async functions to a generator: events that are awaited become events that are asked for. */
import { MarbleError } from '../base/error';

interface Handed<Event> {
  event: Event;
  goOn: () => void;
  end: (reason: MarbleError) => void;
}

/**
 * `work` stands still at each event that it awaits until the next one is asked for, so whoever does not ask has paused it.
 * Where the generator is ended early, the event rejects with `rl/ended`, and the generator waits until `work` has given
 * back what it holds.
 *
 * @param work hands out one event at a time; it begins when the first one is asked for
 */
export async function* eventStream<Event>(
  work: (emit: (event: Event) => Promise<void>) => Promise<void>,
): AsyncGenerator<Event, void, void> {
  let isEnded = false;
  let hand!: (handed: Handed<Event> | null) => void;
  let next!: Promise<Handed<Event> | null>;
  const expectNext = (): void => {
    next = new Promise((resolve) => (hand = resolve));
  };
  const emit = (event: Event): Promise<void> =>
    new Promise((goOn, end) => {
      if (isEnded) end(endedEarly());
      else hand({ event, goOn, end });
    });

  expectNext();
  const running = work(emit);
  const settle = (): void => hand(null);
  running.then(settle, settle); // a failure is thrown by the `await` below
  let handed: Handed<Event> | null = null;
  try {
    while ((handed = await next) !== null) {
      expectNext();
      yield handed.event;
      handed.goOn();
    }
    await running;
  } finally {
    isEnded = true;
    handed?.end(endedEarly());
    await running.catch(() => undefined);
  }
}

function endedEarly(): MarbleError {
  return new MarbleError('rl/ended', 'Cancelled.', 'Start it again.');
}
