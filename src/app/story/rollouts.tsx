/** The same question, answered at the first evaluation and at the latest. */
import { useSignal } from '@preact/signals';
import type { Evaluation } from '../../run/record/evaluation';
import type { Rollout } from '../../run/record/rollout-record';
import { isHardRollout } from '../../run/record/rollouts';
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

const changeWords: Record<Change, string> = {
  'became wrong': 'It was right and has become wrong.',
  'became right': 'It was wrong and has become right.',
  'stayed right': 'It was right and still is.',
  'stayed wrong': 'It was wrong and still is.',
};

/** @param ending - ending that the first question exemplifies; omitted to show a change */
export function FirstAndNow(props: { evaluations: readonly Evaluation[]; ending?: Ending }) {
  const evaluations = fromStart(props.evaluations);
  const [first] = evaluations;
  const latest = evaluations.at(-1);
  /** Item ID; null until the visitor chooses a question. */
  const chosen = useSignal<string | null>(null);
  if (latest === undefined || latest === first) return null;
  const asked = answeredTwice(first, latest);
  const example = props.ending === undefined ? undefined : exampleOf(asked, props.ending);
  const pairs = [...new Set([...(example === undefined ? [] : [example]), ...byClarity(asked)])];
  const pair = pairs.find(({ before }) => before.itemId === chosen.value) ?? pairs.at(0);
  if (pair === undefined) return null;
  const { before, after } = pair;
  const story = readSwapStory(before.prompt);
  const told = [
    { name: `step ${first.report.step}`, rollout: before },
    { name: `step ${latest.report.step}`, rollout: after },
  ];
  const cards = (
    <div class="side-by-side">
      {told.map(({ name, rollout }) => (
        <RolloutCard key={name} rollout={rollout} heading={capital(name)} greedy />
      ))}
    </div>
  );
  return (
    <section class="panel first-and-now tight" aria-labelledby="first-and-now">
      <div class="panel-head">
        <h2 id="first-and-now">The same question, first and now</h2>
        <Stepper
          name="question"
          index={pairs.indexOf(pair)}
          count={pairs.length}
          onChange={(next) => (chosen.value = pairs[next].before.itemId)}
        />
      </div>
      <p class="facts">
        <b class={after.reward.correct ? 'right' : 'wrong'}>{changeWords[changeOf(pair)]}</b>{' '}
        {shortcutWords(after)} Both on a test question, greedy
        {pair === example ? '; the first hard one that shows the ending' : ''}.
      </p>
      {/* The key remounts prompt and picture for each question, so they keep no state of the previous one. */}
      <Prompt key={before.itemId} rollout={before} isPictured={story !== null} />
      {story === null ? (
        cards
      ) : (
        <>
          <StoryPicture key={`picture of ${before.itemId}`} story={story} told={told} />
          <details class="small">
            <summary>Both answers word for word, with their rewards</summary>
            {cards}
          </details>
        </>
      )}
    </section>
  );
}

/** Says that an answer without thinking used the shortcut. Otherwise stopping would seem harmless. */
function shortcutWords(rollout: Rollout): string {
  const { answer, correct } = rollout.reward;
  if (thoughtOf(rollout) !== 'n' || answer === null || answer !== rollout.shortcutAnswer) return '';
  return `It thinks nothing and answers by the shortcut, which is ${correct ? 'right' : 'wrong'} here.`;
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
