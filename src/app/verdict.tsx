/** The verdict on a run: its ending, the conditions with what was measured, and what came of the forecast. */
import type { RewardConfig } from '../reward/types';
import type {
  CausalUse,
  Conditions,
  Estimate,
  EvalReport,
  Evaluation,
  Forecast,
  PairedMean,
  Verdict,
} from '../run/evaluation';
import { cameTrue, forecastOf, forecastRecord } from '../run/forecast-model';
import { standingOf, type Ending } from '../run/ending';
import { percent, plainNumber } from './numbers';
import { signed, verdictsOf } from './ending-words';
import { earningWords } from './forecast-words';
import { cutWords, measuredOf, neededConditions, patternOf } from './verdict-pattern';
import { endingHeadline, hasStoppedMattering } from './verdict-words';
import { howToCompare, WhyLost, whyLostQuestion } from './why-lost';
import { Term } from './words/term';

const outcomes = ['collapsed', 'decorated', 'reasons better'] as const;

/** `+4.2 points (+1.0 to +7.5)` */
function points({ value, low, high }: Estimate): string {
  return `${signed(100 * value)} points (${signed(100 * low)} to ${signed(100 * high)})`;
}

/** `×0.94 (0.93 to 0.95)`: what is left of the start's may also be more than it was. */
function factor({ value, low, high }: Estimate): string {
  return `×${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}

/** `32 % (28 to 36 %)` */
function share({ value, low, high }: Estimate): string {
  return `${percent(value)} (${Math.round(100 * low)} to ${percent(high)})`;
}

function rates({ before, now }: PairedMean): string {
  return `${percent(before)} → ${percent(now)}`;
}

export function VerdictPanel({
  evaluations,
  reward,
  hasEnded,
  isInFull = false,
}: {
  evaluations: readonly Evaluation[];
  /** Of the run: why its reasoning was lost hangs on it. */
  reward: RewardConfig;
  /** Only a run that has ended can prove a forecast wrong. */
  hasEnded: boolean;
  /** On paper nothing is folded. */
  isInFull?: boolean;
}) {
  const start = evaluations[0];
  const latest = evaluations.at(-1);
  const verdict = latest?.verdict;
  const standing = standingOf(verdictsOf(evaluations));
  const forecast = forecastOf(evaluations);
  if (start?.collapse !== undefined) return <OlderVerdict evaluations={evaluations} />;
  if (latest === undefined || verdict === undefined || standing === null) {
    return (
      <section class="collapse" aria-label="Verdict">
        <h3>What becomes of the reasoning?</h3>
        <p>The second evaluation gives a first answer: every question is compared with itself at step 0.</p>
        <ForecastLine forecast={forecast} ending={null} isInFull={isInFull} />
      </section>
    );
  }
  const { ending, provisional, since } = standing;
  const isLost = ending === 'collapsed' || ending === 'decorated';
  const asked = { atStart: start.report.overall.count, now: latest.report.overall.count };
  const stopped = hasStoppedMattering(evaluations) === true;
  const { found, others } = patternOf(
    ending,
    verdict,
    cutWords(start.report.causalUse, latest.report.causalUse),
    stopped,
  );
  const stands = since === null || since === verdict.step ? '' : `, judged so since step ${since}`;
  return (
    <section class={`collapse ${isLost ? 'is-collapsed' : ''}`} aria-label="Verdict">
      <h3>
        {endingHeadline(ending, evaluations)}
        {provisional
          ? ` so far (provisional, step ${verdict.step}${stands})`
          : ` (verdict of the last step, ${verdict.step}${stands})`}
      </h3>
      {found === '' ? null : <p>{found}</p>}
      {ending === verdict.ending ? null : (
        <p>
          This look alone says “{verdict.ending}”; an ending is shown when two looks in a row agree on it.
        </p>
      )}
      <Missing missing={verdict.missing} asksMore={asked.atStart > asked.now} isInFull={isInFull} />
      <div class="folded">
        {isLost && !isInFull ? (
          <details>
            <summary>{whyLostQuestion(ending, stopped)}</summary>
            <p class="explain">
              <WhyLost of={ending} reward={reward} /> {howToCompare(reward)}
            </p>
          </details>
        ) : null}
        <details open={isInFull}>
          <summary>Every condition with its interval</summary>
          <div class="measured">
            {others === '' ? null : <p>{others}</p>}
            <Measured verdict={verdict} asked={asked} />
            <TraceWords verdict={verdict} />
            <CausalWords before={start.report.causalUse} now={latest.report.causalUse} />
            <SampledWords verdict={verdict} now={latest.report} />
          </div>
        </details>
        <ForecastLine forecast={forecast} ending={hasEnded ? ending : null} isInFull={isInFull} />
        <p class="facts">
          Words:{' '}
          {ending === 'decorated' ? (
            <>
              <Term word="decorated" />, <Term word="cutting the thinking" />,{' '}
            </>
          ) : null}
          <Term word="trace" />, <Term word="faithful" />, <Term word="greedy" />, <Term word="shortcut" />.
        </p>
      </div>
    </section>
  );
}

/** What an ending lacks. A look at fewer questions than the last one's is too early to say. */
function Missing(props: { missing: readonly string[]; asksMore: boolean; isInFull: boolean }) {
  const { missing, asksMore, isInFull } = props;
  if (missing.length === 0) return null;
  if (!asksMore || isInFull) return <p>{missing.join(' ')}</p>;
  return (
    <>
      <p>Too early to tell: the last step asks more questions.</p>
      <details>
        <summary>What is missing so far</summary>
        <p class="explain">{missing.join(' ')}</p>
      </details>
    </>
  );
}

/** What was measured of each condition. */
function figureOf(condition: keyof Conditions, verdict: Verdict): string {
  const { length, belief, faithful, wrong } = verdict;
  const unjudged = 'no world to check against';
  switch (condition) {
    case 'reasonedAtStart':
      return faithful === null ? unjudged : share(faithful.start);
    case 'shorter':
      return `${length.before.toFixed(1)} → ${length.now.toFixed(1)} tokens: ${factor(length.ratio)}`;
    case 'lessFaithful':
      return faithful === null ? unjudged : `${rates(faithful)}: ${factor(faithful.ratio)}`;
    case 'stillFaithful':
      return faithful === null ? unjudged : `${rates(faithful)}: ${points(faithful.change)}`;
    case 'wrongHalved':
      return wrong === null ? 'no such questions' : `${rates(wrong)}: ${factor(wrong.ratio)}`;
    case 'wrongNotLower':
      return wrong === null ? 'no such questions' : `${rates(wrong)}: ${points(wrong.change)}`;
    case 'notLessAccurate':
    case 'moreAccurate':
      return `${rates(belief)}: ${points(belief.change)}`;
  }
}

/** Each condition with its figure and its interval, and the outcomes that need it. */
function Measured({ verdict, asked }: { verdict: Verdict; asked: { atStart: number; now: number } }) {
  const { belief, right } = verdict;
  return (
    <>
      <p class="explain">
        {belief.count} questions of belief (order 1 and above), greedy, each compared with itself at step 0.
        {asked.atStart > asked.now
          ? ` The start and the last step answer all ${asked.atStart}, steps in between the first ${asked.now}: here both sides are of these ${asked.now}, so “before” can differ from the charts.`
          : ''}{' '}
        In brackets the 90 % interval: a condition holds when the end of the interval that counts meets it.
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Conditions of the verdict">
        <table class="conditions">
          <thead>
            <tr>
              <th scope="col">Condition</th>
              <th scope="col">Measured</th>
              <th scope="col">This run</th>
              {outcomes.map((outcome) => (
                <th key={outcome} scope="col">
                  {outcome} needs
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {neededConditions.map(({ condition, name, ...needs }) => (
              <tr key={condition}>
                <th scope="row">{name}</th>
                <td>{figureOf(condition, verdict)}</td>
                <td>
                  <b>{measuredOf(condition, verdict)}</b>
                </td>
                {outcomes.map((outcome) => (
                  <td key={outcome}>{needs[outcome] ?? ''}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {right === null ? null : (
        <p>
          Where the shortcut is right, accuracy went {rates(right)}: {points(right.change)}. No outcome hangs
          on that.
        </p>
      )}
    </>
  );
}

/** What became of the traces that were faithful at the start. */
function TraceWords({ verdict: { fate, faithful } }: { verdict: Verdict }) {
  if (fate === null || Object.values(fate).every((fraction) => fraction === 0)) return null;
  return (
    <p>
      Of the traces that were faithful at the start (all true, and nearly all that is needed){' '}
      {percent(fate.faithful)} are so now, {percent(fate.empty)} are empty, {percent(fate.false)} say
      something false, {percent(fate.partial)} say too little, {percent(fate.cut)} are cut off. Others have
      become faithful in their place: of all traces {faithful === null ? 'not known' : rates(faithful)}.
    </p>
  );
}

/** Whether answers come from their traces. */
function CausalWords({ before, now }: { before: CausalUse | undefined; now: CausalUse | undefined }) {
  if (now === undefined) return null;
  const words = ({ followed, cut }: CausalUse): string =>
    `${percent(followed.accuracy)} (${Math.round(100 * followed.low)} to ${percent(followed.high)}) of the answers follow a statement made false, and ${percent(cut.accuracy)} change when the trace is cut`;
  return (
    <p>
      Does the answer come from the trace? {before === undefined ? '' : `At step 0 ${words(before)}. `}
      {before === undefined ? 'At' : 'Now, at'} the last step {words(now)} ({now.followed.count} traces). A
      false statement can mislead the model even where it would be right without thinking; cutting the trace
      shows whether the thinking matters.
    </p>
  );
}

/** Greedy beside sampled, at the ends of a run; and the factual questions. */
function SampledWords({ verdict: { sampled, factual }, now }: { verdict: Verdict; now: EvalReport }) {
  return (
    <>
      {sampled === null || now.sampled === undefined ? null : (
        <p>
          Sampled once at temperature {plainNumber(now.sampled.temperature)} instead of greedily, accuracy on
          beliefs went {rates(sampled)}: {points(sampled.change)}.
        </p>
      )}
      {factual === null ? null : (
        <p>
          Factual questions (order 0), which take no Theory of Mind, stand apart: {rates(factual)}:{' '}
          {points(factual.change)}, greedy, on {factual.count}.
        </p>
      )}
    </>
  );
}

/** What step 0 led one to expect: folded away, with what came of such forecasts so far. */
function ForecastLine(props: { forecast: Forecast | null; ending: Ending | null; isInFull: boolean }) {
  const { forecast, ending, isInFull } = props;
  if (forecast === null) return null;
  const { count, probability } = forecast;
  return (
    <details open={isInFull}>
      <summary>
        Forecast before training:{' '}
        {probability === null
          ? 'no probability, for it was fitted on another reward'
          : `the reasoning is lost with probability ${percent(probability)}`}
      </summary>
      <p class="explain">
        From {count} questions, sampled: {earningWords(forecast)}{' '}
        {probability === null
          ? ''
          : `The forecast goes by that difference: the more the thinking earns, the less likely its loss, by a curve fitted on earlier runs. ${recordWords()}`}{' '}
        {outcomeWords(forecast, ending)}
      </p>
    </details>
  );
}

function recordWords(): string {
  const { runs, lostFraction } = forecastRecord;
  const said = isSkilled() ? 'better' : 'no better';
  return `On ${runs} runs that tested it, it did ${said} than a forecast of ${percent(lostFraction)}, the part that was lost, for each of them${isSkilled() ? '' : ': take it as an attempt'}.`;
}

/** Whether the whole interval of its skill is above that of a constant. */
function isSkilled(): boolean {
  return forecastRecord.skill.low > 0;
}

/** Whether it turned out so; nothing while the run goes on. Where the forecast has no skill, that proves nothing. */
function outcomeWords(forecast: Forecast, ending: Ending | null): string {
  if (ending === null) return '';
  const came = cameTrue(forecast, ending);
  if (came === null) return `It cannot be held against the ending “${ending}”.`;
  const words = `This run ended as ${came ? 'the likelier' : 'the less likely'} of the two: ${ending}`;
  return isSkilled() ? `${words}.` : `${words}, which with such a record may be luck.`;
}

/** Runs of older versions keep too little of each question for a verdict. */
function OlderVerdict({ evaluations }: { evaluations: readonly Evaluation[] }) {
  const first = evaluations.find(({ collapse }) => collapse?.collapsed === true);
  return (
    <section class="collapse" aria-label="Verdict">
      <h3>
        Judged by an older rule:{' '}
        {first === undefined ? 'no collapse' : `a collapse, first seen at step ${first.report.step}`}
      </h3>
      <p>
        This run is of an older version of Marble, which compared averages and not question by question. Run
        it again for a verdict with intervals.
      </p>
    </section>
  );
}
