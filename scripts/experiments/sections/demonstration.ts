/** H1 and H1b on docs/results.md. */
import { demonstrationFigure, trainingFigure } from '../figures/demonstration';
import { points, table, withInterval } from '../format';
import {
  LEAST_ADOPTED,
  LEAST_LOSING,
  LEAST_SHORTENED,
  type Demonstration,
  type DemonstrationName,
} from '../hypotheses/demonstration';
import type { Settled } from '../hypotheses/finding';
import { endingName, type Study } from '../study';
import { type Section, ending, tested, arrow, yesNo } from './section';

export function demonstrationSection(
  study: Study,
  name: DemonstrationName,
  found: Demonstration,
  settled: Settled,
): Section {
  const { runs, adopted, shortened, reasoned, losing, gain, progress } = found;
  const starts = new Set(runs.map(({ run }) => run.plan.start.id)).size;
  const verdict = (holds: boolean): string => (holds ? 'holds' : 'fails');
  const lost =
    name === 'H1'
      ? ''
      : `(c) Of the ${reasoned} runs whose start meets C0, ${losing} lost their reasoning (two in three were needed): ${verdict(reasoned > 0 && losing >= LEAST_LOSING * reasoned)}. `;
  const numbers =
    settled.state === 'not decided'
      ? ''
      : ` (a) The shortcut was adopted in ${adopted} of ${runs.length} runs (${LEAST_ADOPTED} were needed): ${verdict(adopted >= LEAST_ADOPTED)}. ` +
        `(b) Length and faithful traces were at most half in ${shortened} (${LEAST_SHORTENED} were needed): ${verdict(shortened >= LEAST_SHORTENED)}. ` +
        lost +
        `Sampled accuracy rose by ${withInterval(gain, points)} points on average (n = ${runs.length} runs of ${starts} starts; ${tested(found, settled, study.items.draws)}).`;
  const shortcut = runs[0]?.run.line.before.greedy.shortcut ?? '';
  const fraction = shortcut.replaceAll(/[^1]/g, '').length / Math.max(1, shortcut.length);
  const rules = `(a) R rises, W falls below half and sampled accuracy rises by 15 points or more in at least ${LEAST_ADOPTED} of 12 runs, and (b) C1 and C3 hold in at least ${LEAST_SHORTENED} of 12`;
  return {
    heading: {
      H1: 'H1: the shortcut is adopted and the reasoning goes',
      H1b: 'H1b: the same from stronger starts',
    }[name],
    outcome: `${ending(settled.state, progress)}${numbers}`,
    claim: {
      H1: `at 25k, ${rules}.`,
      H1b: `at 25k and after 1,000 steps of pretraining, ${rules}, and (c) of the runs whose start meets C0 at least two in three lose their reasoning. Registered after H1 was seen and before any run of H1b.`,
    }[name],
    figures:
      runs.length === 0
        ? {}
        : {
            [`${name.toLowerCase()}-before-after.svg`]: {
              svg: demonstrationFigure(name, found, fraction),
              about: `Every run of ${name} before and after: sampled accuracy, R, W, F and think length`,
            },
            [`${name.toLowerCase()}-training.svg`]: {
              svg: trainingFigure(name, found),
              about: 'Think length and sampled accuracy over the steps, one line a run',
            },
          },
    table:
      runs.length === 0
        ? []
        : table(
            ['run', 'verdict', '(a) adopted', '(b) C1 and C3', 'gain, points', 'R', 'W'],
            runs.map(({ run, adopted: a, shortened: b }) => [
              run.plan.id,
              endingName(run),
              yesNo(a),
              yesNo(b),
              withInterval(run.gain, points),
              arrow(run.verdict.right),
              arrow(run.verdict.wrong),
            ]),
          ),
    hypothesis: name,
  };
}
