/** The verdict on a run: its ending, and the conditions with what was measured. */
import type { Paying } from '../../run/config/reward-bounds';
import type {
  CausalUse,
  Conditions,
  Estimate,
  EvalReport,
  Evaluation,
  Ratio,
  Verdict,
} from '../../run/record/evaluation';
import { fromStart, isLoss, isSure, standingOf, startWords, type Ending } from '../../run/verdict/ending';
import { LEAST_ITEMS } from '../../run/verdict/rule';
import { Scroll, Table } from '../ui/table';
import { between, fromTo, percent, plainNumber, signedPoints } from '../ui/numbers';
import { endingSentence } from '../words/ending-words';
import { howToCompare, WhyLost, whyLostQuestion } from './why-lost';
import { Doc } from '../words/doc-link';

export function VerdictPanel({
  evaluations,
  paying,
  border = 0,
  isInFull = false,
  isReasonOpen = false,
}: {
  evaluations: readonly Evaluation[];
  /** The last step of the run's warm start. */
  border?: number;
  /** Of the run: why its reasoning was lost hangs on it. */
  paying: Paying;
  /** On paper nothing is folded. */
  isInFull?: boolean;
  isReasonOpen?: boolean;
}) {
  const [start] = fromStart(evaluations);
  const latest = evaluations.at(-1);
  const verdict = latest?.verdict;
  const standing = standingOf(evaluations);
  if (latest === undefined || verdict === undefined || standing === null) {
    return (
      <section class="verdict-panel stack" aria-label="Verdict">
        <h3>What becomes of the reasoning?</h3>
        <p>
          {border === 0 ? 'The second evaluation' : 'The first evaluation after the warm start'} gives a first
          answer: every question is compared with itself at step {border}.
        </p>
      </section>
    );
  }
  const { ending, provisional, since } = standing;
  const asked = { atStart: start.report.overall.count, now: latest.report.overall.count };
  const found = foundWords(ending, verdict, cutWords(start.report.causalUse, latest.report.causalUse));
  const stands = since === null || since === verdict.step ? '' : `, the same since step ${since}`;
  return (
    <section class={`verdict-panel stack ${isLoss(ending) ? 'is-lost' : ''}`} aria-label="Verdict">
      <h3>
        {endingSentence(standing)}
        {provisional ? ' so far' : ''}
      </h3>
      {verdict.against === undefined ? null : (
        <p>
          Compared with what it did {startWords(verdict.against)}: this is what rewards have changed, without
          what the supervised steps have taught.
        </p>
      )}
      {found === '' ? null : <p>{found}</p>}
      {ending === verdict.ending ? null : (
        <p>
          This look alone says “{verdict.ending}”; an ending is shown when two looks in a row agree on it.
        </p>
      )}
      {verdict.missing.length === 0 ? null : !isSure(ending) && asked.atStart > asked.now && !isInFull ? (
        <details>
          <summary>Too early to tell: the last step asks more questions</summary>
          <p class="explain">{verdict.missing.join(' ')}</p>
        </details>
      ) : (
        <p>{verdict.missing.join(' ')}</p>
      )}
      <div class="folded">
        {isLoss(ending) && !isInFull ? (
          <details open={isReasonOpen}>
            <summary>{whyLostQuestion(ending)}</summary>
            <p class="explain">
              <WhyLost of={ending} paying={paying} /> {howToCompare(paying)}
            </p>
          </details>
        ) : null}
        <details open={isInFull}>
          <summary>Every condition with its interval</summary>
          <div class="measured stack">
            <p class="explain">
              {provisional ? 'Test' : 'Last test'} at step {verdict.step}
              {stands}.
            </p>
            <Measured verdict={verdict} asked={asked} />
            <TraceWords verdict={verdict} />
            <CausalWords
              before={start.report.causalUse}
              now={latest.report.causalUse}
              against={verdict.against}
            />
            <SampledWords verdict={verdict} now={latest.report} />
          </div>
        </details>
        <p class="facts">
          <Doc name="faq">What do these words mean?</Doc>
        </p>
      </div>
    </section>
  );
}

/** Each condition with its figure and its interval, and the outcomes that need it. */
function Measured({ verdict, asked }: { verdict: Verdict; asked: { atStart: number; now: number } }) {
  const { against = 0, belief, right, wrong, faithful } = verdict;
  return (
    <>
      <p class="explain">
        {belief.count} questions of belief (order 1 and above), greedy, each compared with itself at step{' '}
        {against}, and {wrong?.count ?? 0} hard ones, some of them asked besides where the test has few.
        {asked.atStart > asked.now
          ? ` The start and the last step answer all ${asked.atStart}, steps in between the first ${asked.now}: here both sides are of these ${asked.now}, so “before” can differ from the charts.`
          : ''}{' '}
        In brackets the 90 % interval: a condition holds when the end of the interval that counts meets it.
      </p>
      <Scroll label="Conditions of the verdict">
        <Table
          class="conditions"
          head={['Condition', 'Measured', 'This run', 'Needed by']}
          rows={neededConditions.map(([condition, name, measured, by]) => [
            name,
            measured(verdict),
            <b>{measuredOf(condition, verdict)}</b>,
            by,
          ])}
        />
      </Scroll>
      <p>
        It thinks less where it is sure of each ratio on which side of a half it lies, and none of the endings
        above holds; where an interval holds the half it is too close to call.
      </p>
      <p>
        No ending hangs on these: accuracy on all of them went {fromTo(belief)}: {points(belief.change)}
        {right === null ? '' : `; easy questions, ${fromTo(right)}: ${points(right.change)}`}
        {faithful === null ? '' : `; correct reasoning, ${fromTo(faithful)}: ${points(faithful.change)}`}.
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
      become true in its place: of all {faithful === null ? 'not known' : fromTo(faithful)}, of that on hard
      questions {faithfulWrong === null ? 'not known' : fromTo(faithfulWrong)}.
    </p>
  );
}

/** Whether answers come from their traces. */
function CausalWords({
  before,
  now,
  against = 0,
}: {
  before: CausalUse | undefined;
  now: CausalUse | undefined;
  against?: number;
}) {
  if (now === undefined) return null;
  const words = ({ followed, cut }: CausalUse): string =>
    `${percent(followed.accuracy)} (${between(followed)}) of the answers follow a statement made false, and ${percent(cut.accuracy)} change when the trace is cut`;
  return (
    <p>
      Does the answer come from the trace?{' '}
      {before === undefined ? '' : `At step ${against} ${words(before)}. `}
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
          beliefs went {fromTo(sampled)}: {points(sampled.change)}.
        </p>
      )}
      {factual === null ? null : (
        <p>
          Factual questions (order 0), which take no Theory of Mind, stand apart: {fromTo(factual)}:{' '}
          {points(factual.change)}, greedy, on {factual.count}.
        </p>
      )}
    </>
  );
}

/** Of the answers, those that change when the thinking is cut; empty where nobody has tried at both ends. */
export function cutWords(before: CausalUse | undefined, now: CausalUse | undefined): string {
  if (before === undefined || now === undefined) return '';
  const of100 = ({ cut }: CausalUse): number => Math.round(100 * cut.accuracy);
  return `Before, cutting the thinking changed ${of100(before)} of 100 answers, now ${of100(now)}.`;
}

/**
 * The pattern that was found; empty where the verdict itself says what the ending goes by.
 *
 * @param cut - `cutWords` of the run
 */
export function foundWords(
  ending: Ending,
  { conditions, length, wrong, faithfulWrong }: Verdict,
  cut: string,
): string {
  const share =
    faithfulWrong === null ? '' : `: of the correct reasoning ${factorWords(faithfulWrong.ratio)}`;
  const left: Partial<Record<Ending, string>> = {
    'stops thinking':
      conditions.wrongHalved && conditions.faithfulHalved
        ? 'at most half is left of both'
        : 'there was little to lose',
    'goes on writing, no longer thinks': 'at most half is left of both',
    'keeps thinking': `both are kept${share}`,
    'thinks better': 'both are kept, and the first is higher',
  };
  const pattern = left[ending];
  if (pattern === undefined) return '';
  const known = (figure: Ratio | null): string => (figure === null ? 'not known' : fromTo(figure));
  const kept = length.ratio.value >= 1 ? 'its length' : `${percent(length.ratio.value)} of its length`;
  return `Of the hard questions ${known(wrong)} are right, and ${known(faithfulWrong)} have correct reasoning: ${pattern}. The thinking keeps ${kept}. ${cut}`.trim();
}

/** `+4.2 points (+1.0 to +7.5)` */
function points({ value, low, high }: Estimate): string {
  return `${signedPoints(value)} points (${signedPoints(low)} to ${signedPoints(high)})`;
}

/** `73 % (64 to 83 %)` */
const factorWords = (ratio: Estimate): string => `${percent(ratio.value)} (${between(ratio)})`;

/** `×0.94 (0.93 to 0.95)`: what is left of the start's may also be more than it was. */
function factor({ value, low, high }: Estimate): string {
  return `×${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}

const leftOf = (figure: Ratio): string => `${fromTo(figure)}: ${factor(figure.ratio)}`;

/** `32 % (28 to 36 %)` */
const share = (figure: Estimate): string => `${percent(figure.value)} (${between(figure)})`;

/** Of the right answers to hard questions. */
const ofAnswers =
  (words: (wrong: NonNullable<Verdict['wrong']>) => string) =>
  ({ wrong }: Verdict): string =>
    wrong === null ? 'no such questions' : words(wrong);

/** Of the correct reasoning on them. */
const ofTraces =
  (words: (faithfulWrong: Ratio) => string) =>
  ({ wrong, faithfulWrong }: Verdict): string => {
    if (faithfulWrong !== null) return words(faithfulWrong);
    return wrong === null ? 'no such questions' : 'no world to check against';
  };

const mostEndings = 'every ending but stops thinking and had little to lose';
const losses = 'stops thinking; goes on writing';
const keeps = 'keeps thinking; thinks better';

/** The rule of `run/verdict/verdict.ts` as a table; `by` says which endings ask for the condition. */
export const neededConditions: readonly [
  condition: keyof Conditions,
  name: string,
  measured: (verdict: Verdict) => string,
  by: string,
][] = [
  [
    'faithfulAtStart',
    'It reasoned at the start: surely 20 % correct reasoning on hard questions',
    ofTraces(({ start }) => share(start)),
    mostEndings,
  ],
  [
    'aboveChance',
    'And more right answers to them than by guessing',
    ofAnswers(({ start, chance }) => share(start) + (chance === null ? '' : `, a guess ${percent(chance)}`)),
    mostEndings,
  ],
  [
    'silent',
    'Silent: the thinking is at most half as long',
    ({ length: { before, now, ratio } }) =>
      `${before.toFixed(1)} → ${now.toFixed(1)} tokens: ${factor(ratio)}`,
    'stops thinking; not goes on writing',
  ],
  ['wrongHalved', 'At most half as many hard questions right', ofAnswers(leftOf), losses],
  [
    'faithfulHalved',
    'At most half as much correct reasoning there',
    ofTraces(leftOf),
    `${losses}; right answers, thinking no longer true`,
  ],
  [
    'wrongKept',
    'Hard questions right: surely over half of before, not surely under three quarters',
    ofAnswers(leftOf),
    keeps,
  ],
  ['faithfulKept', 'Correct reasoning there: the same', ofTraces(leftOf), keeps],
  [
    'wrongHigher',
    'More hard questions right',
    ofAnswers((wrong) => `${fromTo(wrong)}: ${points(wrong.change)}`),
    'thinks better',
  ],
];

/** Whether a condition holds, or how many of the questions are there by which one could tell. */
export function measuredOf(condition: keyof Conditions, { conditions, belief, wrong }: Verdict): string {
  if (conditions[condition] === null) return 'a guess is not known: left out';
  if (conditions[condition]) return 'yes';
  const hard = wrong?.count ?? 0;
  const questions = condition === 'silent' ? Math.max(belief.count, hard) : hard;
  return questions < LEAST_ITEMS ? `not told by ${questions} questions: ${LEAST_ITEMS} are needed` : 'no';
}
