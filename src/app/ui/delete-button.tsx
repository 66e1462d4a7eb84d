/** Button for a deletion that cannot be undone, with a confirmation. */
import { useSignal } from '@preact/signals';

/** @param props.name - name of the deleted thing, for screen readers */
export function DeleteButton(props: {
  name: string;
  verb?: string;
  disabled?: boolean;
  onDelete: () => unknown;
}) {
  const { name, verb = 'Delete', disabled = false, onDelete } = props;
  const confirming = useSignal(false);
  if (!confirming.value || disabled) {
    return (
      <button disabled={disabled} onClick={() => (confirming.value = true)}>
        {verb}
        <span class="visually-hidden"> {name}</span>
      </button>
    );
  }
  return (
    <>
      <button
        class="danger"
        onClick={() => {
          confirming.value = false;
          onDelete();
        }}
      >
        {verb} for good
      </button>
      <button onClick={() => (confirming.value = false)}>Keep</button>
    </>
  );
}
