/** The values of a chart as a table: every step of a short run, some of a long one. */
import type { ChartLine } from './lines/chart-line';

const tableRows = 24;

export interface Table {
  steps: number[];
  columns: (number | null | undefined)[][];
}

export function FigureTable(props: {
  title: string;
  lines: readonly ChartLine[];
  table: Table;
  format: (value: number) => string;
}) {
  const { title, lines, table, format } = props;
  const every = Math.max(1, Math.ceil(table.steps.length / tableRows));
  const rows = table.steps.flatMap((step, index) =>
    index % every === 0 || index === table.steps.length - 1 ? [{ step, index }] : [],
  );
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`Figures of ${title}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">step</th>
            {lines.map((line) => (
              <th scope="col" key={line.label}>
                {line.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ step, index }) => (
            <tr key={step}>
              <th scope="row">{step}</th>
              {lines.map((line, column) => {
                const value = table.columns[column][index] ?? null;
                return <td key={line.label}>{value === null ? '' : format(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
