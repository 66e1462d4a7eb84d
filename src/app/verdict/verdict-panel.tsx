/** Verdict on a run: its ending, and the conditions with their measurements. */
import type { Conditions, Estimate, Evaluation, Ratio, Verdict } from '../../run/record/evaluation';
import { fromStart, isSure, standingOf, startWords } from '../../run/verdict/ending';
import { measuredLength } from '../../run/verdict/measured';
import { LEAST_ITEMS } from '../../run/verdict/rule';
import { Table } from '../ui/table';
import { between, fromTo, percent, signedPoints } from '../ui/numbers';
import { endingSentence } from '../words/ending-words';
import { capital } from '../story/sentences';
import { seenWords } from '../words/seen';
import { Doc } from '../words/doc-link';

export function VerdictPanel({
  evaluations,
  border = 0,
  isInFull = false,
}: {
  evaluations: readonly Evaluation[];
  /** The last step of the run's warm start. */
  border?: number;
  /** True in a report, where nothing is folded. */
  isInFull?: boolean;
}) {
  const [start] = fromStart(evaluations);
  const latest = evaluations.at(-1);
  const verdict = latest?.verdict;
  const standing = standingOf(evaluations);
  if (latest === undefined || verdict === undefined || standing === null) {
    return (
      <section class="verdict-panel stack tight" aria-label="Verdict">
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
  const stands = since === null || since === verdict.step ? '' : `, the same since step ${since}`;
  return (
    <section class="verdict-panel stack tight" aria-label="Verdict">
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
      <p>{capital(seenWords(verdict))}.</p>
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
      <div class="folded row small">
        <details open={isInFull}>
          <summary>Every condition with its interval</summary>
          <div class="measured stack">
            <p class="explain">
              {provisional ? 'Test' : 'Last test'} at step {verdict.step}
              {stands}.
            </p>
            <Measured verdict={verdict} asked={asked} />
          </div>
        </details>
        <p class="facts">
          <Doc name="faq">What do these words mean?</Doc>
        </p>
      </div>
    </section>
  );
}

/** Each condition with its figure and interval, and the endings that need it. */
function Measured({ verdict, asked }: { verdict: Verdict; asked: { atStart: number; now: number } }) {
  const { against = 0, belief, wrong } = verdict;
  return (
    <>
      <p class="explain">
        {belief.count} questions of belief (order 1 and above), greedy, each compared with itself at step{' '}
        {against}, and {wrong?.count ?? 0} hard ones, some of them asked in addition if the test has few.
        {asked.atStart > asked.now
          ? ` The start and the last step answer all ${asked.atStart}, steps in between the first ${asked.now}: here both sides are of these ${asked.now}, so “before” can differ from the charts.`
          : ''}{' '}
        In brackets the 90 % interval: a condition holds when the end of the interval that counts meets it.
      </p>
      <Table
        class="conditions small is-list"
        head={['Condition', 'Measured', 'This run', 'Needed by']}
        rows={neededConditions.map(([condition, name, measured, by]) => [
          name,
          measured(verdict),
          <b>{measuredOf(condition, verdict)}</b>,
          by,
        ])}
      />
    </>
  );
}

/** `+4.2 points (+1.0 to +7.5)` */
function points({ value, low, high }: Estimate): string {
  return `${signedPoints(value)} points (${signedPoints(low)} to ${signedPoints(high)})`;
}

/** `×0.94 (0.93 to 0.95)`: ratio to the start, which may exceed 1. */
function factor({ value, low, high }: Estimate): string {
  return `×${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}

const leftOf = (figure: Ratio): string => `${fromTo(figure)}: ${factor(figure.ratio)}`;

/** `32 % (28 to 36 %)` */
const share = (figure: Estimate): string => `${percent(figure.value)} (${between(figure)})`;

const noSuchQuestions = 'no such questions';

const ofAnswers =
  (words: (wrong: NonNullable<Verdict['wrong']>) => string) =>
  ({ wrong }: Verdict): string =>
    wrong === null ? noSuchQuestions : words(wrong);

const ofTraces =
  (words: (faithfulWrong: Ratio) => string) =>
  ({ wrong, faithfulWrong }: Verdict): string => {
    if (faithfulWrong !== null) return words(faithfulWrong);
    return wrong === null ? noSuchQuestions : 'no world to check against';
  };

const mostEndings = 'every ending but stops thinking and had little to lose';
const losses = 'stops thinking; goes on writing';
const keeps = 'keeps thinking; thinks better';

/** The rule of `run/verdict/verdict.ts` as a table. `by` names the endings that need the condition. */
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
    (verdict) => {
      const length = measuredLength(verdict);
      return length === null
        ? noSuchQuestions
        : `${length.before.toFixed(1)} → ${length.now.toFixed(1)} tokens: ${factor(length.ratio)}`;
    },
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

/** `yes`, `no`, or the reason why the condition cannot be decided. */
export function measuredOf(condition: keyof Conditions, { conditions, belief, wrong }: Verdict): string {
  if (conditions[condition] === null) return 'a guess is not known: left out';
  if (conditions[condition]) return 'yes';
  const hard = wrong?.count ?? 0;
  const questions = condition === 'silent' ? Math.max(belief.count, hard) : hard;
  return questions < LEAST_ITEMS ? `not told by ${questions} questions: ${LEAST_ITEMS} are needed` : 'no';
}
