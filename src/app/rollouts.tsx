/** The same question, answered at the first evaluation and at the one that the scrubber stands on. */
import { signal } from '@preact/signals';
import type { Evaluation } from '../run/evaluation';
import { answeredTwice, byClarity, changeOf, type Change } from './clearest-change';
import { Prompt } from './prompt';
import { readSmallStory } from '../tom/read-small-story';
import { RolloutCard } from './rollout-card';
import { Stepper } from './stepper';
import { StoryPicture } from './story/story-picture';
import { Term } from './words/term';

/** Its item's id; null until somebody chooses. */
const question = signal<string | null>(null);

const changeWords: Record<Change, string> = {
  'became wrong': 'It was right and has become wrong.',
  'became right': 'It was wrong and has become right.',
  'stayed right': 'It was right and still is.',
  'stayed wrong': 'It was wrong and still is.',
};

/** @param evaluations up to the step that is looked at; `latest` where that is the run's last */
export function FirstAndNow({
  evaluations,
  isLatest,
}: {
  evaluations: readonly Evaluation[];
  isLatest: boolean;
}) {
  const first = evaluations.at(0);
  const now = evaluations.at(-1);
  const pairs = first === undefined || now === undefined ? [] : byClarity(answeredTwice(first, now));
  if (first === undefined || now === undefined || pairs.length === 0) return <Awaited />;
  const index = Math.max(
    0,
    pairs.findIndex(({ before: { itemId } }) => itemId === question.value),
  );
  const { before, after } = pairs[index];
  const story = readSmallStory(before.prompt);
  const cards = (
    <div class="side-by-side">
      <RolloutCard rollout={before} heading={`Step ${first.report.step}`} greedy />
      {now === first ? (
        <p class="empty">The next evaluation of this question will stand here.</p>
      ) : (
        <RolloutCard
          rollout={after}
          heading={isLatest ? `Now (step ${now.report.step})` : `Step ${now.report.step}`}
          greedy
        />
      )}
    </div>
  );
  return (
    <section class="panel first-and-now" aria-labelledby="first-and-now">
      <div class="panel-head">
        <h2 id="first-and-now">The same question, first and now</h2>
        <Stepper
          name="question"
          index={index}
          count={pairs.length}
          onChange={(next) => (question.value = pairs[next].before.itemId)}
        />
      </div>
      {now === first ? (
        <p class="facts what-changed">The next evaluation asks it again, and tells what has changed.</p>
      ) : (
        <p key={changeOf(pairs[index])} class="facts what-changed">
          <b class={after.reward.correct ? 'right' : 'wrong'}>{changeWords[changeOf(pairs[index])]}</b> Picked
          for its change; both <Term word="greedy" />.
        </p>
      )}
      {/* Another question is another picture: nothing of the one before is moved into it. */}
      <Prompt key={before.itemId} rollout={before} />
      {story === null ? null : (
        <StoryPicture
          key={`picture of ${before.itemId}`}
          story={story}
          told={[
            { name: `step ${first.report.step}`, rollout: before },
            ...(now === first ? [] : [{ name: `step ${now.report.step}`, rollout: after }]),
          ]}
        />
      )}
      {story === null ? (
        cards
      ) : (
        <details>
          <summary>Both answers word for word, with the parts of their rewards</summary>
          {cards}
        </details>
      )}
    </section>
  );
}

/** Keeps the place of what the first evaluation brings: nothing beside it moves then. */
function Awaited() {
  return (
    <section class="panel first-and-now" aria-labelledby="first-and-now">
      <h2 id="first-and-now">The same question, first and now</h2>
      <p class="empty">The first evaluation’s questions will stand here.</p>
    </section>
  );
}
