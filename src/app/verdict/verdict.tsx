/** The verdict on a run: its ending, and the conditions with what was measured. */
import type { RewardConfig } from '../../reward/types';
import type {
  CausalUse,
  Conditions,
  Estimate,
  EvalReport,
  Evaluation,
  PairedMean,
  Ratio,
  Verdict,
} from '../../run/record/evaluation';
import { isLoss, standingOf } from '../../run/verdict/ending';
import { percent, plainNumber } from '../ui/numbers';
import { endingSentence, signed, verdictsOf } from './ending-words';
import { cutWords, foundWords, measuredOf, neededConditions } from './verdict-pattern';
import { howToCompare, WhyLost, whyLostQuestion } from './why-lost';
import { Term } from '../words/term';

const endingTerms = {
  'thinks better': 'thinks better',
  'keeps thinking': 'keeps thinking',
  'goes on writing, no longer thinks': 'goes on writing',
  'stops thinking': 'stops thinking',
} as const;

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
  isInFull = false,
  isReasonOpen = false,
}: {
  evaluations: readonly Evaluation[];
  /** Of the run: why its reasoning was lost hangs on it. */
  reward: RewardConfig;
  /** On paper nothing is folded. */
  isInFull?: boolean;
  isReasonOpen?: boolean;
}) {
  const start = evaluations[0];
  const latest = evaluations.at(-1);
  const verdict = latest?.verdict;
  const standing = standingOf(verdictsOf(evaluations));
  if (latest === undefined || verdict === undefined || standing === null) {
    return (
      <section class="verdict-panel" aria-label="Verdict">
        <h3>What becomes of the reasoning?</h3>
        <p>The second evaluation gives a first answer: every question is compared with itself at step 0.</p>
      </section>
    );
  }
  const { ending, provisional, since } = standing;
  const asked = { atStart: start.report.overall.count, now: latest.report.overall.count };
  const found = foundWords(ending, verdict, cutWords(start.report.causalUse, latest.report.causalUse));
  const stands = since === null || since === verdict.step ? '' : `, the same since step ${since}`;
  return (
    <section class={`verdict-panel ${isLoss(ending) ? 'is-lost' : ''}`} aria-label="Verdict">
      <h3>
        {endingSentence(standing)}
        {provisional ? ' so far' : ''}
      </h3>
      {found === '' ? null : <p>{found}</p>}
      {ending === verdict.ending ? null : (
        <p>
          This look alone says “{verdict.ending}”; an ending is shown when two looks in a row agree on it.
        </p>
      )}
      <Missing missing={verdict.missing} asksMore={asked.atStart > asked.now} isInFull={isInFull} />
      <div class="folded">
        {isLoss(ending) && !isInFull ? (
          <details open={isReasonOpen}>
            <summary>{whyLostQuestion(ending)}</summary>
            <p class="explain">
              <WhyLost of={ending} reward={reward} /> {howToCompare(reward)}
            </p>
          </details>
        ) : null}
        <details open={isInFull}>
          <summary>Every condition with its interval</summary>
          <div class="measured">
            <p class="explain">
              {provisional ? 'Test' : 'Last test'} at step {verdict.step}
              {stands}.
            </p>
            <Measured verdict={verdict} asked={asked} />
            <TraceWords verdict={verdict} />
            <CausalWords before={start.report.causalUse} now={latest.report.causalUse} />
            <SampledWords verdict={verdict} now={latest.report} />
          </div>
        </details>
        <p class="facts">
          Words:{' '}
          {ending === 'cannot be told' ? null : (
            <>
              <Term word={endingTerms[ending]} />,{' '}
            </>
          )}
          <Term word="cutting the thinking" />, <Term word="trace" />, <Term word="true thinking" />,{' '}
          <Term word="greedy" />, <Term word="hard questions" />, <Term word="shortcut" />.
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
function figureOf(condition: keyof Conditions, { length, faithfulWrong, wrong }: Verdict): string {
  const noTraces = wrong === null ? 'no such questions' : 'no world to check against';
  const noAnswers = 'no such questions';
  const left = (figure: Ratio): string => `${rates(figure)}: ${factor(figure.ratio)}`;
  switch (condition) {
    case 'faithfulAtStart':
      return faithfulWrong === null ? noTraces : share(faithfulWrong.start);
    case 'aboveChance':
      return wrong === null
        ? noAnswers
        : `${share(wrong.start)}${wrong.chance === null ? '' : `, a guess ${percent(wrong.chance)}`}`;
    case 'silent':
      return `${length.before.toFixed(1)} → ${length.now.toFixed(1)} tokens: ${factor(length.ratio)}`;
    case 'faithfulHalved':
    case 'faithfulKept':
      return faithfulWrong === null ? noTraces : left(faithfulWrong);
    case 'wrongHalved':
    case 'wrongKept':
      return wrong === null ? noAnswers : left(wrong);
    case 'wrongHigher':
      return wrong === null ? noAnswers : `${rates(wrong)}: ${points(wrong.change)}`;
  }
}

/** Each condition with its figure and its interval, and the outcomes that need it. */
function Measured({ verdict, asked }: { verdict: Verdict; asked: { atStart: number; now: number } }) {
  const { belief, right, wrong, faithful } = verdict;
  return (
    <>
      <p class="explain">
        {belief.count} questions of belief (order 1 and above), greedy, each compared with itself at step 0;{' '}
        {wrong?.count ?? 0} of them are hard.
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
              <th scope="col">Needed by</th>
            </tr>
          </thead>
          <tbody>
            {neededConditions.map(({ condition, name, by }) => (
              <tr key={condition}>
                <th scope="row">{name}</th>
                <td>{figureOf(condition, verdict)}</td>
                <td>
                  <b>{measuredOf(condition, verdict)}</b>
                </td>
                <td>{by}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p>
        No ending hangs on these: accuracy on all of them went {rates(belief)}: {points(belief.change)}
        {right === null ? '' : `; easy questions, ${rates(right)}: ${points(right.change)}`}
        {faithful === null ? '' : `; true thinking, ${rates(faithful)}: ${points(faithful.change)}`}.
      </p>
    </>
  );
}

/** What became of the traces that were faithful at the start. */
function TraceWords({ verdict: { fate, faithful, faithfulWrong } }: { verdict: Verdict }) {
  if (fate === null || Object.values(fate).every((fraction) => fraction === 0)) return null;
  return (
    <p>
      Of the thinking that was true at the start (faithful: all of it true, and nearly all that is needed){' '}
      {percent(fate.faithful)} is so now, {percent(fate.empty)} is empty, {percent(fate.false)} says something
      false, {percent(fate.partial)} says too little, {percent(fate.cut)} is cut off. Other thinking has
      become true in its place: of all {faithful === null ? 'not known' : rates(faithful)}, of that on hard
      questions {faithfulWrong === null ? 'not known' : rates(faithfulWrong)}.
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
