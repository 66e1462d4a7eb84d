/** A question, its answer, and the answer of the shortcut. */
import type { Rollout } from '../../run/record/rollout-record';
import { readSwapStory } from '../../tom/text/read-swap-story';
import { Doc } from '../words/doc-link';
import { questionSentence, storySentences } from './sentences';

export function Prompt({ rollout }: { rollout: Rollout }) {
  const { prompt, order, goldAnswer, shortcutAnswer } = rollout;
  const story = readSwapStory(prompt);
  return (
    <div class="prompt stack tight">
      {story === null ? (
        <p class="words">{prompt}</p>
      ) : (
        <p class="as-told">
          {storySentences(story)} <b>{questionSentence(story)}</b>
        </p>
      )}
      <p class="facts">
        Order {order}. True answer: <b>{goldAnswer}</b>.{' '}
        {shortcutAnswer === null ? null : (
          <span class="shortcut">
            The shortcut{story === null ? '' : ' (where it was after the first event)'} says{' '}
            <b>{shortcutAnswer}</b>, and is {shortcutAnswer === goldAnswer ? 'right' : 'wrong'}.
          </span>
        )}
      </p>
      {story === null ? null : (
        <details class="small">
          <summary class="quiet">As the model reads and writes it</summary>
          <p class="words">{prompt}</p>
          <p>
            A statement for each event: who acted and where the thing then was, “none” where not all who are
            asked about saw it, and “so” for the answer. <Doc name="tasks">More</Doc>
          </p>
        </details>
      )}
    </div>
  );
}
