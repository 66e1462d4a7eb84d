/** Turns an async function that awaits its events into an async generator of events. */
import { MarbleError } from '../base/error';

interface Handed<Event> {
  event: Event;
  goOn: () => void;
  end: (reason: MarbleError) => void;
}

/**
 * Runs `work` as a generator. `work` suspends at each event until the consumer asks for the next one, so a consumer
 * that does not ask has paused it. If the generator is ended early, the event rejects with `rl/ended`, and the
 * generator waits until `work` has released its resources.
 *
 * @param work emits one event at a time; starts when the first event is requested
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
  running.then(settle, settle); // the `await` below throws a failure
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
