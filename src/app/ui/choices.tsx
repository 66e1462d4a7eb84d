/** Checkboxes, radio buttons in a line, and the options of a list. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** @param props.label - for screen readers */
export function Choices<Name extends string>(props: {
  label: string;
  names: Readonly<Record<Name, ComponentChildren>>;
  chosen: Name | undefined;
  onChoose: (name: Name) => void;
}) {
  const { label, names, chosen, onChoose } = props;
  const group = useId();
  return (
    <div class="choices row" role="radiogroup" aria-label={label}>
      {(Object.keys(names) as Name[]).map((name) => (
        <label key={name}>
          <input type="radio" name={group} checked={name === chosen} onChange={() => onChoose(name)} />{' '}
          {names[name]}
        </label>
      ))}
    </div>
  );
}

export function Tick(props: {
  checked: boolean;
  onChange: (isChecked: boolean) => void;
  children: ComponentChildren;
}) {
  const { checked, onChange, children } = props;
  return (
    <label class="tick">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />{' '}
      {children}
    </label>
  );
}

/** @param props.names - words of each value */
export function Options({ names }: { names: Readonly<Record<string, string>> }) {
  return Object.entries(names).map(([value, words]) => (
    <option key={value} value={value}>
      {words}
    </option>
  ));
}
