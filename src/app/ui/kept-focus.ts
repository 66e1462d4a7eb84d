/** A button that was pressed and is gone takes the keyboard's place with it: its successor gets it. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Activity } from '../session/run-view';

/** @param place - holds the buttons, and can be focused itself while none of them is ready */
export function useKeptFocus(
  place: RefObject<HTMLElement | null>,
  activity: Activity,
  isStart: boolean,
): void {
  const wasInside = useRef(false);
  useEffect(() => {
    const element = place.current!;
    const note = (event: FocusEvent): void => {
      wasInside.current = element.contains(event.target as Node);
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, []);
  useEffect(() => {
    const { activeElement } = document;
    const isLost = activeElement === document.body || activeElement === place.current;
    if (!wasInside.current || !isLost) return;
    // While a run is being prepared its only button stops it: nothing that a second press should do.
    const isPreparing = activity === 'starting' || activity === 'pausing' || activity === 'stopping';
    const successor = isPreparing
      ? null
      : place.current!.querySelector<HTMLElement>('.actions button:not(:disabled)');
    (successor ?? place.current)?.focus();
  }, [activity, isStart]);
}
