/** What was asked, what the answer is, and what the shortcut would say. */
import type { Rollout } from '../run/rollout-record';
import { readSmallStory } from '../tom/read-small-story';
import { GrammarKey } from './story/grammar-key';
import { Term } from './words/term';
import { questionSentence, storySentences } from './story/sentences';

export function Prompt({ rollout }: { rollout: Rollout }) {
  const story = readSmallStory(rollout.prompt);
  return (
    <div class="prompt">
      {story === null ? (
        <p class="words">{rollout.prompt}</p>
      ) : (
        <>
          <p class="as-told">
            {storySentences(story)} <b>{questionSentence(story)}</b>
          </p>
          <details class="token-form">
            <summary>As the model reads and writes it</summary>
            <p class="words">{rollout.prompt}</p>
            <GrammarKey kind={story.kind} />
          </details>
        </>
      )}
      <Facts rollout={rollout} rule={story === null ? '' : ' (where it was after the first event)'} />
    </div>
  );
}

/** @param rule - what the shortcut goes by, where that is known: data sets have different ones */
function Facts({ rollout: { order, goldAnswer, shortcutAnswer }, rule }: { rollout: Rollout; rule: string }) {
  return (
    <p class="facts">
      <Term word="order">Order</Term> {order}. True answer: <b>{goldAnswer}</b>.
      {shortcutAnswer === null ? null : (
        <>
          {' '}
          <span class="shortcut">
            The shortcut{rule} says <b>{shortcutAnswer}</b>
          </span>
          {shortcutAnswer === goldAnswer ? ', and is right.' : ', and is wrong.'}
        </>
      )}
    </p>
  );
}
