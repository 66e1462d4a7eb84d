/** The values of a chart as a table: every step of a short run, some of a long one. */
import type { ChartLine } from './lines/chart-line';
import { stepsOf } from './lines/curve';

const tableRows = 24;

export function FigureTable(props: {
  title: string;
  lines: readonly ChartLine[];
  format: (value: number) => string;
}) {
  const { title, lines, format } = props;
  const steps = stepsOf(lines);
  const every = Math.max(1, Math.ceil(steps.length / tableRows));
  const rows = steps.filter((_, index) => index % every === 0 || index === steps.length - 1);
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
          {rows.map((step) => (
            <tr key={step}>
              <th scope="row">{step}</th>
              {lines.map((line) => {
                const value = line.values[line.steps.indexOf(step)] ?? null;
                return <td key={line.label}>{value === null ? '' : format(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
