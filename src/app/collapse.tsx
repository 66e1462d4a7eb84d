/** The collapse in numbers: shorter alone is none. All three conditions stand there with what was measured. */
import type { CollapseReport } from '../rl/events';
import type { Evaluation } from '../store/records';
import { percent } from './chart';

/** The first evaluation at which all three conditions held. */
export function firstCollapse(evaluations: readonly Evaluation[]): CollapseReport | null {
  return evaluations.find(({ collapse }) => collapse.collapsed)?.collapse ?? null;
}

/** A change against 1 with its sign: 0.32 is "−68 %". */
function change(ratio: number): string {
  const points = Math.round((ratio - 1) * 100);
  return `${points > 0 ? '+' : '−'}${Math.abs(points)} %`;
}

function points(difference: number): string {
  const rounded = Math.round(difference * 100);
  return `${rounded < 0 ? '−' : '+'}${Math.abs(rounded)} points`;
}

/** The three numbers, a line each, for the annotation on the length curve. */
export function collapseWords(collapse: CollapseReport): string[] {
  return [
    `collapse at step ${collapse.step}`,
    `thinking ${change(collapse.lengthRatio)}`,
    `accuracy ${points(collapse.accuracyChange)}`,
    `true statements ${change(collapse.validityRatio)}`,
  ];
}

export function CollapsePanel({ evaluations }: { evaluations: readonly Evaluation[] }) {
  const latest = evaluations.at(-1);
  const start = evaluations[0];
  if (latest === undefined || latest === start) {
    return (
      <section class="collapse" aria-label="Collapse">
        <h3>Does the reasoning collapse?</h3>
        <p>The second evaluation will tell: three conditions are held against step 0.</p>
      </section>
    );
  }
  const { report, collapse } = latest;
  const { conditions } = collapse;
  const first = firstCollapse(evaluations);
  return (
    <section class={`collapse ${collapse.collapsed ? 'is-collapsed' : ''}`} aria-label="Collapse">
      <h3>
        {collapse.collapsed
          ? `The reasoning has collapsed (since step ${first?.step ?? collapse.step})`
          : `No collapse at step ${collapse.step}`}
      </h3>
      <ul class="conditions">
        <Condition
          holds={conditions.shorter}
          name="The thinking is at most half as long"
          numbers={`${start.report.meanThinkLength.toFixed(1)} → ${report.meanThinkLength.toFixed(1)} tokens (${change(collapse.lengthRatio)})`}
        />
        <Condition
          holds={conditions.notLessAccurate}
          name="Accuracy is not lower"
          numbers={`${percent(start.report.overall.accuracy)} → ${percent(report.overall.accuracy)} (${points(collapse.accuracyChange)})`}
        />
        <Condition
          holds={conditions.lessValid}
          name="At most half as many true statements in the trace"
          numbers={`${percent(start.report.traceValidity)} → ${percent(report.traceValidity)} true (${change(collapse.validityRatio)})`}
        />
      </ul>
      <p>
        {collapse.collapsed
          ? 'The answers got no worse while the reasons for them went away: the reward went up by a shortcut, not by better reasoning.'
          : 'Only all three together are a collapse. Shorter alone is not: a model may say the same in fewer words.'}
      </p>
    </section>
  );
}

function Condition({ holds, name, numbers }: { holds: boolean; name: string; numbers: string }) {
  return (
    <li class={holds ? 'holds' : 'holds-not'}>
      <span aria-hidden="true">{holds ? '●' : '○'}</span>
      <span>
        <b>{name}</b>
        <span class="visually-hidden">{holds ? ' (holds)' : ' (does not hold)'}</span>
        <br />
        {numbers}
      </span>
    </li>
  );
}
