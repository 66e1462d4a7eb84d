/** Arms side by side: how many runs ended how, and their means with intervals over the runs. */
import type { ArmComparison, Spread } from '../../run/sweep';
import { endings } from '../../run/ending';
import { percent } from '../numbers';
import { armName } from './words';

export function ArmsTable({
  comparisons,
  showsEndings = true,
}: {
  comparisons: readonly ArmComparison[];
  showsEndings?: boolean;
}) {
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Arms compared">
        <table class="evaluation">
          <thead>
            <tr>
              <th scope="col">Arm</th>
              <th scope="col">runs</th>
              {showsEndings
                ? endings.map((ending) => (
                    <th key={ending} scope="col">
                      {ending}
                    </th>
                  ))
                : null}
              <th scope="col">accuracy</th>
              <th scope="col">its change</th>
              <th scope="col">where the shortcut is wrong</th>
              <th scope="col">length against step 0</th>
            </tr>
          </thead>
          <tbody>
            {comparisons.map((row) => (
              <tr key={row.arm}>
                <th scope="row">{armName(row.arm)}</th>
                <td>{row.runs}</td>
                {showsEndings
                  ? endings.map((ending) => (
                      <td key={ending}>
                        {row.endings[ending]} of {row.runs}
                      </td>
                    ))
                  : null}
                <td>{spread(row.accuracy)}</td>
                <td>{spread(row.accuracyChange, true)}</td>
                <td>{spread(row.shortcutWrong)}</td>
                <td>{spread(row.lengthRatio)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="explain">
        Mean over the runs that have ended, ± half of its 95 % interval (Student’s): with one run there is
        none. Two arms whose intervals overlap have not been told apart.
        {showsEndings ? ' The endings are the verdicts of each run’s last step.' : ''}
      </p>
    </>
  );
}

/** `62 % ± 4`; a change with its sign. Two seeds may say next to nothing: more than ± 100 is not spelled out. */
function spread({ mean, margin }: Spread, signed = false): string {
  const size = percent(Math.abs(mean));
  const sign = signed ? (mean < 0 ? '−' : '+') : '';
  return `${sign}${size}${margin === null ? '' : margin > 1 ? ' ± over 100' : ` ± ${Math.round(100 * margin)}`}`;
}
