/** What was asked, what the answer is, and what the shortcut would say. */
import type { Rollout } from '../../run/record/rollout-record';
import { readSwapStory, type SwapStory } from '../../tom/text/read-swap-story';
import { GrammarKey } from './grammar-key';
import { Term } from '../words/term';
import { questionSentence, storySentences } from './sentences';

/** @param isPictured - the story stands below as a picture, which says the same line by line, and its texts below that */
export function Prompt({ rollout, isPictured = false }: { rollout: Rollout; isPictured?: boolean }) {
  const story = readSwapStory(rollout.prompt);
  return (
    <div class="prompt">
      {story === null ? (
        <p class="words">{rollout.prompt}</p>
      ) : (
        <>
          <p class="as-told">
            {isPictured ? null : storySentences(story)} <b>{questionSentence(story)}</b>
          </p>
          {isPictured ? null : (
            <details class="token-form">
              <summary>As the model reads and writes it</summary>
              <TokenForm rollout={rollout} />
            </details>
          )}
        </>
      )}
      <Facts rollout={rollout} rule={story === null ? '' : ' (where it was after the first event)'} />
    </div>
  );
}

/** For a picture: the story in sentences, and as the model reads it. */
export function StoryTexts({ rollout, story }: { rollout: Rollout; story: SwapStory }) {
  return (
    <details class="token-form prompt">
      <summary>In sentences and in tokens</summary>
      <p>{storySentences(story)}</p>
      <TokenForm rollout={rollout} />
    </details>
  );
}

function TokenForm({ rollout }: { rollout: Rollout }) {
  return (
    <>
      <p class="words">{rollout.prompt}</p>
      <GrammarKey />
    </>
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
