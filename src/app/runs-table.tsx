/** Runs as rows of a table: the settings that set them apart, how far they came, and their verdicts with intervals. */
import type { ComponentChildren } from 'preact';
import type { RunConfig } from '../run/config';
import { standingOf } from '../run/ending';
import type { Estimate } from '../run/evaluation';
import type { History } from '../run/history';
import type { RunStatus } from '../run/run-record';
import { differingSettings, settingName } from '../share/differing';
import { endingWords, signed, verdictsOf } from './ending-words';
import { statusWords } from './kept-runs';
import { percent } from './numbers';

export interface RunRow {
  key: string;
  name: string;
  config: RunConfig;
  /** Null where it has not begun. */
  run: (History & { status: RunStatus }) | null;
  actions?: ComponentChildren;
}

export function RunsTable(props: {
  label: string;
  /** What the first column names. */
  heading: string;
  rows: readonly RunRow[];
  showsEndings?: boolean;
}) {
  const { label, heading, rows, showsEndings = true } = props;
  const { columns, rows: settings } = differingSettings(rows.map(({ config }) => config));
  const hasActions = rows.some(({ actions }) => actions !== undefined);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table class="evaluation runs-table">
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            {columns.map((path) => (
              <th scope="col" key={path} title={path}>
                {settingName(path)}
              </th>
            ))}
            <th scope="col">steps</th>
            {showsEndings ? (
              <>
                <th scope="col">verdict</th>
                <th scope="col">accuracy on beliefs, points</th>
                <th scope="col">where the shortcut is wrong</th>
                <th scope="col">thinking left</th>
              </>
            ) : null}
            {hasActions ? <th scope="col">run</th> : null}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, config, run, actions }, index) => (
            <tr key={key}>
              <th scope="row">{name}</th>
              {columns.map((path, column) => (
                <td key={path}>{settings[index][column]}</td>
              ))}
              <td>
                {run === null ? 'not begun' : `${run.steps.at(-1)?.step ?? 0} of ${config.steps}`}
                {run === null || run.status === 'done' ? null : <small>{statusWords[run.status]}</small>}
              </td>
              {showsEndings ? <VerdictCells run={run} /> : null}
              {hasActions ? <td>{actions}</td> : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function VerdictCells({ run }: { run: History | null }) {
  const verdicts = run === null ? [] : verdictsOf(run.evals);
  const standing = standingOf(verdicts);
  const verdict = verdicts.at(-1);
  if (standing === null || verdict === undefined) {
    return (
      <>
        <td>none</td>
        <td />
        <td />
        <td />
      </>
    );
  }
  return (
    <>
      <td>{endingWords(standing)}</td>
      <td>{change(verdict.belief.change)}</td>
      <td>{verdict.wrong === null ? '' : change(verdict.wrong.change)}</td>
      <td>
        {percent(verdict.length.ratio.value)}
        <small>
          {Math.round(100 * verdict.length.ratio.low)} to {percent(verdict.length.ratio.high)}
        </small>
      </td>
    </>
  );
}

/** In hundredths, with the 90 % interval that the verdict goes by. */
function change({ value, low, high }: Estimate) {
  return (
    <>
      {signed(100 * value)}
      <small>
        {signed(100 * low)} to {signed(100 * high)}
      </small>
    </>
  );
}
