/** What stands behind a word: one press away, in a popover. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** @param props.label - of the button, where its words do not say what comes */
export function Behind(props: {
  words: ComponentChildren;
  label?: string;
  onClick?: () => void;
  children: ComponentChildren;
}) {
  const id = useId();
  const { words, label, onClick, children } = props;
  return (
    <>
      <button type="button" aria-label={label} popovertarget={id} onClick={onClick}>
        {words}
      </button>
      <span id={id} popover="auto">
        {children}
      </span>
    </>
  );
}
