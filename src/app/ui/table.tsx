/** Tables, and what stands around them. */
import type { ComponentChildren } from 'preact';

/** What may be wider than a phone: it is moved sideways, by keys too. */
export function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}

/**
 * @param props.head - of its columns
 * @param props.rows - the first cell of each is its heading
 */
export function Table(props: {
  class?: string;
  caption?: string;
  head: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
}) {
  const { caption, head, rows } = props;
  return (
    <table class={props.class}>
      {caption === undefined ? null : <caption>{caption}</caption>}
      <thead>
        <tr>
          {head.map((words) => (
            <th key={words} scope="col">
              {words}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([first, ...cells], place) => (
          <tr key={place}>
            <th scope="row">{first}</th>
            {cells.map((cell, column) => (
              <td key={column}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Names with what they stand for. */
export function FieldList(props: {
  class?: string;
  fields: readonly (readonly [name: string, value: ComponentChildren])[];
}) {
  return (
    <dl class={props.class}>
      {props.fields.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
