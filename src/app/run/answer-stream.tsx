/** Newest answers of a run, with the parts of their rewards. */
import type { Rollout } from '../../run/record/rollout-record';
import { completionsOf } from '../../run/config/config';
import { isHardRollout } from '../../run/record/rollouts';
import { readSwapStory } from '../../tom/text/read-swap-story';
import type { RunView } from '../session/run-view';
import { questionSentence } from '../story/sentences';
import { signedNumber } from '../ui/numbers';
import { useFound } from '../ui/use-found';

const shownAnswers = 3;

/** Up to `shownAnswers` rollouts, with answers to different questions first. */
function someOf(rollouts: readonly Rollout[]): Rollout[] {
  const firsts = rollouts.filter(
    ({ group }, index) => rollouts.findIndex((other) => other.group === group) === index,
  );
  return [...new Set([...firsts, ...rollouts])].slice(0, shownAnswers);
}

/** The last question in a prompt. */
export function questionIn(prompt: string): string {
  const story = readSwapStory(prompt);
  if (story !== null) return questionSentence(story);
  return (prompt.match(/[^.!?\n]+\?/g)?.at(-1) ?? prompt.slice(-200)).trim();
}

export function AnswerStream({ view }: { view: RunView }) {
  const last = view.rolloutSteps.value.at(-1);
  const rollouts =
    useFound(async () => (last === undefined ? [] : view.rolloutsAt(last)), [view, last]) ?? [];
  const all = completionsOf(view.config);
  const right = rollouts.filter(({ reward }) => reward.correct).length;
  return (
    <section class="answer-stream stack tight" aria-labelledby="answer-stream">
      <h2 id="answer-stream">
        {rollouts.length === 0 ? 'Answers' : `Answers of step ${rollouts[0].step} in practice`}{' '}
        {/* Only some of the step's answers may be stored. */}
        <span class="quiet">{rollouts.length === all ? `${right} of ${all} right` : null}</span>
      </h2>
      <ul>
        {someOf(rollouts).map((rollout, place) => (
          <AnswerCard key={place} rollout={rollout} />
        ))}
      </ul>
    </section>
  );
}

function AnswerCard({ rollout }: { rollout: Rollout }) {
  const { prompt } = rollout;
  const { think, answer, correct, parts, total } = rollout.reward;
  return (
    <li class="framed stack small">
      <p class="one-line" title={prompt}>
        <b>
          {isHardRollout(rollout) ? 'Hard: ' : ''}
          {questionIn(prompt)}
        </b>
      </p>
      <p class="two-lines" title={think}>
        <span class="quiet">thinks</span>{' '}
        {think.trim() === '' ? <em>nothing</em> : <span class="thought">{think}</span>}
      </p>
      <p>
        <span class="quiet">answers</span>{' '}
        <b class={correct ? 'right' : 'wrong'}>
          {answer ?? 'unreadable'} {correct ? '✓' : '✗'}
        </b>
      </p>
      <p class="row">
        {parts.map(({ name, value, reason }) => (
          <span key={name} title={reason}>
            {name} {signedNumber(value)}
          </span>
        ))}
        <b>reward {signedNumber(total)}</b>
      </p>
    </li>
  );
}
