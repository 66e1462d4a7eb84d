/** The collapse in numbers: shorter alone is none. All three conditions stand there with what was measured. */
import { reasonsBetter } from '../rl/collapse';
import type { CollapseReport, EvalReport, Forecast } from '../rl/events';
import type { Evaluation } from '../store/records';
import { percent } from './chart';

/** The first evaluation at which all three conditions held. */
export function firstCollapse(evaluations: readonly Evaluation[]): CollapseReport | null {
  return evaluations.find(({ collapse }) => collapse.collapsed)?.collapse ?? null;
}

/** A change against 1: 0.32 is "−68 %". */
function change(ratio: number): string {
  return `${signed((ratio - 1) * 100)} %`;
}

function points(difference: number): string {
  return `${signed(difference * 100)} points`;
}

/** With a decimal below 1, because a condition may hang on one question of the set: what is small is not nothing. */
function signed(hundredths: number): string {
  const size = Math.abs(hundredths).toFixed(Math.abs(hundredths) < 1 ? 1 : 0);
  if (Number(size) === 0) return '±0';
  return `${hundredths > 0 ? '+' : '−'}${size}`;
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

export function CollapsePanel({
  evaluations,
  hasEnded,
}: {
  evaluations: readonly Evaluation[];
  /** Only a run that has ended can prove a forecast wrong. */
  hasEnded: boolean;
}) {
  const latest = evaluations.at(-1);
  const start = evaluations[0];
  if (latest === undefined || latest === start) {
    return (
      <section class="collapse" aria-label="Collapse">
        <h3>Does the reasoning collapse?</h3>
        <p>The second evaluation will tell: three conditions are held against step 0.</p>
        <ForecastLine forecast={start?.forecast} collapsedAt={null} hasEnded={false} />
      </section>
    );
  }
  const { report, collapse } = latest;
  const { conditions } = collapse;
  const first = firstCollapse(evaluations);
  const isBetter = reasonsBetter(start.report, report);
  return (
    <section class={`collapse ${collapse.collapsed ? 'is-collapsed' : ''}`} aria-label="Collapse">
      <h3>
        {collapse.collapsed
          ? `The reasoning has collapsed (first seen at step ${first?.step ?? collapse.step})`
          : isBetter
            ? `It reasons better at step ${collapse.step} than at the start`
            : `No collapse at step ${collapse.step}`}
      </h3>
      <p class="explain">A collapse asks for all three against step 0 (● holds, ○ does not):</p>
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
          name="At most half the share of true statements in the trace"
          numbers={`${percent(start.report.traceValidity)} → ${percent(report.traceValidity)} true (${change(collapse.validityRatio)})`}
        />
      </ul>
      <p>
        {collapse.collapsed
          ? `The answers got no worse while the reasons for them went away. ${shortcutWords(start.report, report)}`
          : isBetter
            ? `More answers are right, by more than chance allows, and what is said on the way there is no less true. ${shortcutNumbers(start.report, report)}: the shortcut is not the reason.`
            : 'Shorter alone is no collapse: a model may say the same in fewer words.'}
      </p>
      <ForecastLine forecast={start.forecast} collapsedAt={first?.step ?? null} hasEnded={hasEnded} />
    </section>
  );
}

/** Whether the shortcut explains it: more right answers where the shortcut is right, fewer where it is wrong. */
function shortcutWords(before: EvalReport, now: EvalReport): string {
  const isShortcut =
    now.shortcutRight.accuracy > before.shortcutRight.accuracy &&
    now.shortcutWrong.accuracy < before.shortcutWrong.accuracy;
  const numbers = shortcutNumbers(before, now);
  return isShortcut
    ? `${numbers}: the model has taken the shortcut.`
    : `${numbers}: the shortcut alone does not explain it.`;
}

function shortcutNumbers(before: EvalReport, now: EvalReport): string {
  const right = `${percent(before.shortcutRight.accuracy)} → ${percent(now.shortcutRight.accuracy)}`;
  const wrong = `${percent(before.shortcutWrong.accuracy)} → ${percent(now.shortcutWrong.accuracy)}`;
  return `Where the shortcut is right accuracy went ${right}, where it is wrong ${wrong}`;
}

/** What step 0 led one to expect: a prediction to be tested, and shown with its grounds. */
function ForecastLine(props: {
  forecast: Forecast | undefined;
  collapsedAt: number | null;
  hasEnded: boolean;
}) {
  const { forecast, collapsedAt, hasEnded } = props;
  if (forecast === undefined) return null;
  const { emptyThink, fullTrace, collapseExpected } = forecast;
  return (
    <p class="explain">
      Forecast before training: {collapseExpected ? 'a collapse' : 'no collapse'}. With its thinking forced
      empty the model was right in {percent(emptyThink.accuracy)}, with a full trace forced open in{' '}
      {percent(fullTrace.accuracy)}: reasoning{' '}
      {collapseExpected ? 'earned it nothing.' : 'earned it something.'}{' '}
      <b>{outcomeWords(collapseExpected, collapsedAt, hasEnded)}</b>
    </p>
  );
}

/** Whether it turned out so; nothing while that is open. */
function outcomeWords(expected: boolean, collapsedAt: number | null, hasEnded: boolean): string {
  if (collapsedAt !== null) {
    return `It turned out ${expected ? 'right' : 'wrong'}: a collapse at step ${collapsedAt}.`;
  }
  return hasEnded ? `It turned out ${expected ? 'wrong' : 'right'}: no collapse to the end.` : '';
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
