/** A question, its answer, and the answer of the shortcut. */
import type { Rollout } from '../../run/record/rollout-record';
import { readSwapStory, type SwapStory } from '../../tom/text/read-swap-story';
import { FieldList } from '../ui/table';
import { questionSentence, storySentences } from './sentences';

/** @param isPictured - omits the story and its tokens; a picture below shows them */
export function Prompt({ rollout, isPictured = false }: { rollout: Rollout; isPictured?: boolean }) {
  const story = readSwapStory(rollout.prompt);
  return (
    <div class="prompt stack tight">
      {story === null ? (
        <p class="words">{rollout.prompt}</p>
      ) : (
        <>
          <p class="as-told">
            {isPictured ? null : storySentences(story)} <b>{questionSentence(story)}</b>
          </p>
          {isPictured ? null : (
            <details class="small">
              <summary class="quiet">As the model reads and writes it</summary>
              <TokenForm rollout={rollout} />
            </details>
          )}
        </>
      )}
      <Facts rollout={rollout} rule={story === null ? '' : ' (where it was after the first event)'} />
    </div>
  );
}

export function StoryTexts({ rollout, story }: { rollout: Rollout; story: SwapStory }) {
  return (
    <details class="prompt stack tight small">
      <summary class="quiet">In sentences and in tokens</summary>
      <p>{storySentences(story)}</p>
      <TokenForm rollout={rollout} />
    </details>
  );
}

const grammar = [
  ['start box ;', 'at the start the object lay in the box, and all who are asked about saw it'],
  ['dan jar ;', 'in the next event Dan acted, all who are asked about saw it, and then it lay in the jar'],
  ['none ;', 'not all of them saw the next event'],
  ['so jar', 'therefore the answer is jar'],
] as const;

function TokenForm({ rollout }: { rollout: Rollout }) {
  return (
    <>
      <p class="words">{rollout.prompt}</p>
      <p>How to read such tokens, by examples from other stories:</p>
      <FieldList class="stack" fields={grammar} />
    </>
  );
}

/** @param rule - rule of the shortcut, if known; data sets have different ones */
function Facts({ rollout: { order, goldAnswer, shortcutAnswer }, rule }: { rollout: Rollout; rule: string }) {
  return (
    <p class="facts">
      Order {order}. True answer: <b>{goldAnswer}</b>.
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
