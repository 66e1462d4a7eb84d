/** The forecast on docs/results.md, and what the page says of its record. */
import type { ForecastRecord } from '../../../src/run/forecast-model';
import { reliabilityFigure } from '../figures/reliability';
import { decimal, table, withInterval } from '../format';
import type { ForecastReport } from '../hypotheses/forecast';
import type { Section } from './section';

export function forecastSection({
  progress,
  runs,
  withoutReasoning,
  score,
  variants,
  bins,
}: ForecastReport): Section {
  const complete = progress.complete && score !== null;
  const outcome = complete
    ? `Brier skill against the base rate ${withInterval(score.skill)}, AUC ${withInterval(score.auc)} (n = ${score.runs} runs, ${decimal(score.base)} of them lost it).`
    : `**not judged yet: ${progress.made} of ${progress.planned} runs made.**`;
  return {
    heading: 'The forecast',
    outcome,
    claim: `P(loses its reasoning) = 1 / (1 + exp(−(1.512 − 1.081 d))), fitted on 15 runs of a prototype and frozen before these runs. Skill is 1 where it is perfect and 0 where the base rate does as well; intervals draw whole starts. ${withoutReasoning} runs had no reasoning to lose and are left out in the first row.`,
    figures:
      runs.length === 0
        ? {}
        : {
            'forecast-reliability.svg': {
              svg: reliabilityFigure(bins),
              about: 'Reliability diagram of the forecast in five bins',
            },
          },
    table:
      score === null
        ? []
        : table(
            ['runs', 'n', 'lost it', 'Brier skill', 'AUC'],
            [score, ...variants].map(({ name, runs: n, base, skill, auc }) => [
              name,
              String(n),
              decimal(base),
              withInterval(skill),
              withInterval(auc),
            ]),
          ),
    hypothesis: 'H1',
  };
}

/** What the page says of the forecast's record: the first row of its table, rounded as the table is. */
export function forecastRecord({ score }: ForecastReport): ForecastRecord | null {
  if (score === null) return null;
  const { runs, base, skill } = score;
  const [lostFraction, value, low, high] = [base, skill.value, skill.low, skill.high].map(
    (figure) => Math.round(figure * 100) / 100,
  );
  return { runs, lostFraction, skill: { value, low, high } };
}
