/** A question, its answer, and the answer of the shortcut. */
import type { Rollout } from '../../run/record/rollout-record';
import { readSwapStory } from '../../tom/text/read-swap-story';
import { FieldList } from '../ui/table';
import { questionSentence, storySentences } from './sentences';

/** @param isPictured - folds the sentences of the story too; a picture below shows it */
export function Prompt({ rollout, isPictured = false }: { rollout: Rollout; isPictured?: boolean }) {
  const story = readSwapStory(rollout.prompt);
  if (story === null)
    return (
      <div class="prompt stack tight">
        <p class="words">{rollout.prompt}</p>
        <Facts rollout={rollout} rule="" />
      </div>
    );
  return (
    <div class="prompt stack tight">
      <p class="as-told">
        {isPictured ? null : storySentences(story)} <b>{questionSentence(story)}</b>
      </p>
      <Facts rollout={rollout} rule=" (where it was after the first event)" />
      <details class="small">
        <summary class="quiet">
          {isPictured ? 'In sentences and in tokens' : 'As the model reads and writes it'}
        </summary>
        {isPictured ? <p>{storySentences(story)}</p> : null}
        <p class="words">{rollout.prompt}</p>
        <p>How to read such tokens, by examples from other stories:</p>
        <FieldList class="stack" fields={grammar} />
      </details>
    </div>
  );
}

const grammar = [
  ['start box ;', 'at the start the object lay in the box, and all who are asked about saw it'],
  ['dan jar ;', 'in the next event Dan acted, all who are asked about saw it, and then it lay in the jar'],
  ['none ;', 'not all of them saw the next event'],
  ['so jar', 'therefore the answer is jar'],
] as const;

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
