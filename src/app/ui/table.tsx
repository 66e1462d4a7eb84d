/** Tables, scroll regions and lists of fields. */
import type { ComponentChildren } from 'preact';

/** Region for content wider than a phone. It scrolls sideways, also by keyboard. */
export function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}

/**
 * With the class `is-list` a phone shows each row as a list, with the name of its column before each cell. Its style turns
 * the table into blocks, and some browsers then hide parts without a role from screen readers.
 *
 * @param props.rows - the first cell of each is its heading
 */
export function Table(props: {
  class?: string;
  caption?: string;
  head: readonly ComponentChildren[];
  rows: readonly (readonly ComponentChildren[])[];
}) {
  const { caption, head, rows } = props;
  const labels = head.map((label) => (typeof label === 'string' ? label : undefined));
  return (
    <table class={props.class} role="table">
      {caption === undefined ? null : <caption>{caption}</caption>}
      <thead role="rowgroup">
        <tr role="row">
          {head.map((label, column) => (
            <th key={column} scope="col" role="columnheader">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map(([first, ...cells], place) => (
          <tr key={place} role="row">
            <th scope="row" role="rowheader">
              {first}
            </th>
            {cells.map((cell, column) => (
              <td key={column} role="cell" data-label={labels[column + 1]}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Names with their values. Null is left out. */
export function FieldList(props: {
  fields: readonly (readonly [name: string, value: ComponentChildren] | null)[];
}) {
  return (
    <dl class="fields">
      {props.fields
        .filter((field) => field !== null)
        .map(([name, value]) => (
          <div key={name} class="spread">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
