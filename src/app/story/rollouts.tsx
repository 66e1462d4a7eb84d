/** The same question, answered at the first evaluation and at the one chosen by the scrubber. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Evaluation } from '../../run/record/evaluation';
import type { Rollout } from '../../run/record/rollout-record';
import { isHardRollout } from '../../run/verdict/hard-rollout';
import { fromStart, type Ending } from '../../run/verdict/ending';
import {
  answeredTwice,
  byClarity,
  changeOf,
  thoughtOf,
  type AnsweredTwice,
  type Change,
  type Thought,
} from '../../run/recording/answered-twice';
import { Prompt } from './prompt';
import { readSwapStory } from '../../tom/text/read-swap-story';
import { RolloutCard } from './rollout-card';
import { capital } from './sentences';
import { Stepper } from '../ui/stepper';
import { StoryPicture } from './story-picture';

/** Item ID of the chosen question; null until the visitor chooses one. */
const question = signal<string | null>(null);

const changeWords: Record<Change, string> = {
  'became wrong': 'It was right and has become wrong.',
  'became right': 'It was wrong and has become right.',
  'stayed right': 'It was right and still is.',
  'stayed wrong': 'It was wrong and still is.',
};

/**
 * The questions and their order depend on the first and the latest evaluation, so they do not change along the slider.
 *
 * @param tellsEnding - false while a lesson hides the ending; omits the words that reveal whether thinking has stopped
 * @param ending - ending that the first question exemplifies; omitted to show a change
 */
export function FirstAndNow(props: {
  evaluations: readonly Evaluation[];
  at: number;
  tellsEnding?: boolean;
  ending?: Ending;
}) {
  const { at, tellsEnding = true, ending } = props;
  const evaluations = fromStart(props.evaluations);
  useEffect(() => {
    if (ending !== undefined) question.value = null; // chosen for another run
  }, []);
  const first = evaluations.at(0);
  const latest = evaluations.at(-1);
  const asked = first === undefined || latest === undefined ? [] : answeredTwice(first, latest);
  const example = ending === undefined ? undefined : exampleOf(asked, ending);
  const pairs = [...new Set([...(example === undefined ? [] : [example]), ...byClarity(asked)])];
  if (first === undefined || latest === undefined || pairs.length === 0)
    return (
      // Reserves space for the first evaluation, which avoids a layout shift.
      <section class="panel first-and-now tight" aria-labelledby="first-and-now">
        <h2 id="first-and-now">The same question, first and now</h2>
        <p class="empty">The first evaluation’s questions will stand here.</p>
      </section>
    );
  const index = Math.max(
    0,
    pairs.findIndex(({ before: { itemId } }) => itemId === question.value),
  );
  const { before } = pairs[index];
  const pair = pairAt(evaluations, before, at);
  const story = readSwapStory(before.prompt);
  const change = pair && changeOf({ before, after: pair.after });
  const told = [{ after: before, step: first.report.step }, ...(pair === null ? [] : [pair])].map(
    ({ after, step }) => ({ name: placeName(step, evaluations), rollout: after }),
  );
  const cards = (
    <div class="side-by-side">
      {told.map(({ name, rollout }, i) => (
        <RolloutCard key={i} rollout={rollout} heading={capital(name)} greedy />
      ))}
      {pair !== null ? null : <p class="empty">The next evaluation of this question will stand here.</p>}
    </div>
  );
  return (
    <section class="panel first-and-now tight" aria-labelledby="first-and-now">
      <div class="panel-head">
        <h2 id="first-and-now">The same question, first and now</h2>
        <Stepper
          name="question"
          index={index}
          count={pairs.length}
          onChange={(next) => (question.value = pairs[next].before.itemId)}
        />
      </div>
      {pair === null || change === null ? (
        <p class="facts what-changed">The next evaluation asks it again, and tells what has changed.</p>
      ) : (
        <p key={change} class="facts what-changed">
          <b class={pair.after.reward.correct ? 'right' : 'wrong'}>{changeWords[change]}</b>{' '}
          {tellsEnding ? shortcutWords(pair.after) : ''} Both on a test question, greedy
          {chosenWords(pairs[index], example)}.
        </p>
      )}
      {/* The key remounts prompt and picture for each question, so they keep no state of the previous one. */}
      <Prompt key={before.itemId} rollout={before} isPictured={story !== null} />
      {story === null ? null : <StoryPicture key={`picture of ${before.itemId}`} story={story} told={told} />}
      {story === null ? (
        cards
      ) : (
        <details class="small">
          <summary>Both answers word for word, with their rewards</summary>
          {cards}
        </details>
      )}
    </section>
  );
}

/** Why the page shows this question; empty without a reason. */
function chosenWords(question: AnsweredTwice, example: AnsweredTwice | undefined): string {
  if (question === example) return '; the first hard one that shows the ending';
  return changeOf(question).startsWith('became') ? '; picked for its change' : '';
}

/** Says that an answer without thinking used the shortcut. Otherwise stopping would seem harmless. */
function shortcutWords(rollout: Rollout): string {
  const { answer, correct } = rollout.reward;
  if (thoughtOf(rollout) !== 'n' || answer === null || answer !== rollout.shortcutAnswer) return '';
  return `It thinks nothing and answers by the shortcut, which is ${correct ? 'right' : 'wrong'} here.`;
}

/** `step 0, first` */
function placeName(step: number, evaluations: readonly Evaluation[]): string {
  const remark =
    step === evaluations[0].report.step
      ? ', first'
      : step === evaluations.at(-1)!.report.step
        ? ', latest'
        : '';
  return `step ${step}${remark}`;
}

/** How a hard question shows an ending: the preferred change of its answer, and the kind of thinking. */
const signOf: Partial<Record<Ending, [Change, Thought]>> = {
  'thinks better': ['became right', 't'],
  'keeps thinking': ['stayed right', 't'],
  'right answers, thinking no longer true': ['stayed right', 'u'],
  'goes on writing, no longer thinks': ['became wrong', 'u'],
  'stops thinking': ['became wrong', 'n'],
};

/** The first hard question that shows the ending; undefined if none does, or if a single answer cannot show it. */
export function exampleOf(questions: readonly AnsweredTwice[], ending: Ending): AnsweredTwice | undefined {
  const sign = signOf[ending];
  if (sign === undefined) return undefined;
  const [change, thought] = sign;
  const showing = questions.filter(
    ({ before, after }) =>
      isHardRollout(before) &&
      after.reward.correct === change.endsWith('right') &&
      thoughtOf(after) === thought,
  );
  const changed = showing.filter((question) => changeOf(question) === change);
  return changed.find(({ before }) => thoughtOf(before) === 't') ?? changed[0] ?? showing[0];
}

/**
 * Answer to compare with the first one: the last up to a step, or else the latest.
 *
 * @returns null while the question has been asked only once
 */
export function pairAt(
  evaluations: readonly Evaluation[],
  before: Rollout,
  step: number,
): { after: Rollout; step: number } | null {
  const answers = evaluations.slice(1).flatMap(({ report }) => {
    const after = report.samples.find(({ itemId }) => itemId === before.itemId);
    return after === undefined ? [] : [{ after, step: report.step }];
  });
  return answers.findLast((answer) => answer.step <= step) ?? answers.at(-1) ?? null;
}
