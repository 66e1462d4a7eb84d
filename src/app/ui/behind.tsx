/** What stands behind a word: one press away, in a popover. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** @param props.label - of the button, where its words do not say what comes */
export function Behind(props: {
  words: ComponentChildren;
  label?: string;
  /** Told whenever it opens or closes. */
  onToggle?: (isOpen: boolean) => void;
  children: ComponentChildren;
}) {
  const id = useId();
  const { words, label, onToggle, children } = props;
  return (
    <>
      <button type="button" aria-label={label} popovertarget={id}>
        {words}
      </button>
      <span id={id} popover="auto" onToggle={({ newState }) => onToggle?.(newState === 'open')}>
        {children}
      </span>
    </>
  );
}
