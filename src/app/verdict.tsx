/** The verdict on a run: its ending, the conditions with what was measured, and what came of the forecast. */
import type {
  CausalUse,
  Estimate,
  EvalReport,
  Evaluation,
  Forecast,
  PairedMean,
  Verdict,
} from '../run/evaluation';
import { cameTrue, forecastOf, forecastRecord, forecastsLoss } from '../run/forecast-model';
import { standingOf, type Ending } from '../run/ending';
import { percent, plainNumber } from './numbers';
import { signed, verdictsOf } from './ending-words';
import { endingHeadlines } from './verdict-words';

/** `+4.2 points (+1.0 to +7.5)` */
function points({ value, low, high }: Estimate): string {
  return `${signed(100 * value)} points (${signed(100 * low)} to ${signed(100 * high)})`;
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
  hasEnded,
}: {
  evaluations: readonly Evaluation[];
  /** Only a run that has ended can prove a forecast wrong. */
  hasEnded: boolean;
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
        <ForecastLine forecast={forecast} ending={null} />
      </section>
    );
  }
  const { ending, provisional } = standing;
  const isLost = ending === 'collapsed' || ending === 'decorated';
  return (
    <section class={`collapse ${isLost ? 'is-collapsed' : ''}`} aria-label="Verdict">
      <h3>
        {endingHeadlines[ending]}
        {provisional
          ? ` so far (provisional, step ${verdict.step})`
          : ` (verdict of the last step, ${verdict.step})`}
      </h3>
      {ending === verdict.ending ? null : (
        <p>
          This look alone says “{verdict.ending}”; an ending is shown when two looks in a row agree on it.
        </p>
      )}
      {verdict.missing.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <Measured verdict={verdict} />
      <TraceWords verdict={verdict} />
      <CausalWords before={start.report.causalUse} now={latest.report.causalUse} />
      <SampledWords verdict={verdict} now={latest.report} />
      <ForecastLine forecast={forecast} ending={hasEnded ? ending : null} />
    </section>
  );
}

/** Each condition with its figure and its interval. */
function Measured({ verdict }: { verdict: Verdict }) {
  const { conditions, length, belief, faithful, right, wrong } = verdict;
  return (
    <>
      <p class="explain">
        {belief.count} questions of belief (order 1 and above), greedy, each compared with itself at step 0.
        In brackets the 90 % interval, whose ends are the one-sided 95 % bounds (● holds, ○ does not):
      </p>
      <ul class="conditions">
        <Condition
          holds={conditions.reasonedAtStart}
          name="It reasoned at the start: surely 20 % faithful traces"
          numbers={faithful === null ? 'no world to check against' : share(faithful.start)}
        />
        <Condition
          holds={conditions.shorter}
          name="The thinking is at most half as long"
          numbers={`${length.before.toFixed(1)} → ${length.now.toFixed(1)} tokens: ${share(length.ratio)}`}
        />
        <Condition
          holds={conditions.lessFaithful}
          name="At most half as many faithful traces"
          numbers={
            faithful === null ? 'no world to check against' : `${rates(faithful)}: ${share(faithful.ratio)}`
          }
        />
        <Condition
          holds={conditions.notLessAccurate}
          name={`Accuracy is not lower by 3 points or more${conditions.moreAccurate ? ', and is higher' : ''}`}
          numbers={`${rates(belief)}: ${points(belief.change)}`}
        />
        <Condition
          holds={conditions.wrongNotLower}
          name={`Nor where the shortcut is wrong${conditions.wrongHalved ? ': there it has at most halved' : ''}`}
          numbers={wrong === null ? 'no such questions' : `${rates(wrong)}: ${points(wrong.change)}`}
        />
        {right === null ? null : (
          <Condition
            holds={right.change.low > 0}
            name="It is higher where the shortcut is right"
            numbers={`${rates(right)}: ${points(right.change)}`}
          />
        )}
      </ul>
    </>
  );
}

/** What became of the traces that were faithful at the start. */
function TraceWords({ verdict: { fate } }: { verdict: Verdict }) {
  if (fate === null || Object.values(fate).every((fraction) => fraction === 0)) return null;
  return (
    <p>
      Of the traces that were faithful at the start (all true, and nearly all that is needed){' '}
      {percent(fate.faithful)} are so now, {percent(fate.empty)} are empty, {percent(fate.false)} say
      something false, {percent(fate.partial)} say too little, {percent(fate.cut)} are cut off.
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
      {before === undefined ? 'At' : 'Now, at'} the last step {words(now)} ({now.followed.count} traces).
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

/** What step 0 led one to expect: a prediction to be tested, and shown with its grounds. */
function ForecastLine({ forecast, ending }: { forecast: Forecast | null; ending: Ending | null }) {
  if (forecast === null) return null;
  const { count, empty, full, difference, probability } = forecast;
  const isLoss = forecastsLoss(forecast);
  return (
    <p class="explain">
      Forecast before training ({count} questions, sampled):{' '}
      {probability === null
        ? 'no probability, for it was fitted on another reward.'
        : `the reasoning is lost with probability ${percent(probability)} (${recordWords()}).`}{' '}
      With its thinking forced empty the model earned {empty.toFixed(2)} on average, with a full trace forced
      open {full.toFixed(2)}: a difference of {difference.value.toFixed(2)} ({difference.low.toFixed(2)} to{' '}
      {difference.high.toFixed(2)}), which{' '}
      {isLoss === null
        ? 'speaks for neither.'
        : isLoss
          ? 'speaks for losing the reasoning.'
          : 'speaks for keeping it.'}{' '}
      <b>{outcomeWords(forecast, ending)}</b>
    </p>
  );
}

function recordWords(): string {
  const { runs, lostFraction, skill } = forecastRecord;
  return `on the ${runs} runs that tested it, its skill was ${skill.value.toFixed(2)}, ${skill.low.toFixed(2)} to ${skill.high.toFixed(2)}, where 1 is perfect and 0 no better than always saying ${percent(lostFraction)}`;
}

/** Whether it turned out so; nothing while the run goes on. */
function outcomeWords(forecast: Forecast, ending: Ending | null): string {
  if (ending === null) return '';
  const came = cameTrue(forecast, ending);
  if (came === null) return `It cannot be held against the ending “${ending}”.`;
  return `It ${came ? 'came true' : 'did not come true'}: ${ending}.`;
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
