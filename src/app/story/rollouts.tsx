/** The same question, answered at the first evaluation and at the latest. */
import { useSignal } from '@preact/signals';
import type { Evaluation } from '../../run/record/evaluation';
import { isHardRollout } from '../../run/record/rollouts';
import { fromStart, type Ending } from '../../run/verdict/ending';
import {
  answeredTwice,
  byClarity,
  changeOf,
  thoughtOf,
  type AnsweredTwice,
  type Thought,
} from '../../run/recording/answered-twice';
import { Prompt } from './prompt';
import { readSwapStory } from '../../tom/text/read-swap-story';
import { RolloutCard } from './rollout-card';
import { capital, questionSentence } from './sentences';
import { Stepper } from '../ui/stepper';
import { StoryPicture } from './story-picture';

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
        The answer <b class={after.reward.correct ? 'right' : 'wrong'}>{changeOf(pair)}</b>: a test question,
        greedy{pair === example ? '; a hard one that shows the ending' : ''}.
      </p>
      {story === null ? null : (
        <>
          <p class="as-told">
            <b>{questionSentence(story)}</b>
          </p>
          <StoryPicture story={story} told={told} />
        </>
      )}
      {/* The key closes the words of the previous question. */}
      <details key={before.itemId} class="small" open={story === null}>
        <summary>Question and answers word for word, with the rewards</summary>
        <div class="stack">
          <Prompt rollout={before} />
          <div class="side-by-side">
            {told.map(({ name, rollout }) => (
              <RolloutCard key={name} rollout={rollout} heading={capital(name)} greedy />
            ))}
          </div>
        </div>
      </details>
    </section>
  );
}

/** How a hard question shows an ending: whether its last answer is right, and the kind of thinking. */
const signOf: Partial<Record<Ending, [isRight: boolean, thought: Thought]>> = {
  'thinks better': [true, 't'],
  'keeps thinking': [true, 't'],
  'right answers, thinking no longer true': [true, 'u'],
  'goes on writing, no longer thinks': [false, 'u'],
  'stops thinking': [false, 'n'],
};

/** A hard question that shows the ending, if possible one that was answered with correct reasoning at first. */
export function exampleOf(questions: readonly AnsweredTwice[], ending: Ending): AnsweredTwice | undefined {
  const [isRight, thought] = signOf[ending] ?? [];
  const showing = questions.filter(
    ({ before, after }) =>
      isHardRollout(before) && after.reward.correct === isRight && thoughtOf(after) === thought,
  );
  return showing.find(({ before }) => before.reward.correct && thoughtOf(before) === 't') ?? showing[0];
}
