/** Encodes the questions that a run asks. An error names the set of questions and the setting that adds it. */
import { MarbleError } from '../base/error';
import type { Policy } from '../model/policy';
import type { Item } from '../tom/item';
import type { EvalSuite } from './data';
import { encodePrompt, tokenizerOf } from './rollout';
import type { Run } from './trainer-state';

/** A set of questions, for an error: its name, and how to do without it. */
interface QuestionSet {
  name: string;
  remedy: string;
}

const STORIES = 'Choose other stories (data.source, data.orders)';
const TASKS: QuestionSet = {
  name: 'the other tasks of the test (evaluation.taskItems, evaluation.imported)',
  remedy: 'Set evaluation.taskItems to 0 and leave the data set out of evaluation.imported',
};

const ofStories = (name: string): QuestionSet => ({ name, remedy: STORIES });

const FAULTS: readonly string[] = ['model/unknown-word', 'rl/prompt-too-long'];

/** @throws MarbleError the code of `encodePrompt`, with the set, its setting and a remedy */
function encodeSet(policy: Policy, items: readonly Item[], newTokens: number, set: QuestionSet): number[][] {
  return items.map((item) => {
    try {
      return encodePrompt(policy, item, newTokens);
    } catch (thrown) {
      if (!(thrown instanceof MarbleError) || !FAULTS.includes(thrown.code)) throw thrown;
      const isWord = thrown.code === 'model/unknown-word';
      const otherwise = isWord
        ? 'or choose a model that reads English, such as that of the preset first-run-135m.'
        : 'or lower the maximum of new tokens (rollout.maxNewTokens).';
      throw new MarbleError(
        thrown.code,
        `The model cannot read a question of ${set.name}, of ${item.dataset}. ${thrown.message}`,
        `${set.remedy}, ${otherwise}`,
        { cause: thrown },
      );
    }
  });
}

/**
 * Prompts of a test: its fixed set, the held-out sets, the hard questions and the other tasks.
 *
 * @throws MarbleError `model/unknown-word`, `rl/prompt-too-long`
 */
export function suitePrompts(
  policy: Policy,
  { items, heldOut, hard, tasks, maxNewTokens }: EvalSuite,
): number[][] {
  const encoded = (set: readonly Item[], named: QuestionSet): number[][] =>
    encodeSet(policy, set, maxNewTokens, named);
  return [
    ...encoded(items, ofStories('the test (data.source)')),
    ...Object.entries(heldOut).flatMap(([name, set]) =>
      encoded(set, ofStories(`the held-out set “${name}” (data.source)`)),
    ),
    ...encoded(hard, ofStories('the hard questions of the test (data.source)')),
    ...encoded(tasks, TASKS),
  ];
}

/** Maximum of training questions that are encoded before a run. Only a small vocabulary requires all of a data set. */
const ENCODED = 2048;

/**
 * Checks before a run that the model can encode every question of its evaluations and of its training set.
 * Without the check a run would train until the evaluation that fails.
 *
 * @param trained size of the imported data set; 0 for generated stories, which resemble those of the test
 * @throws MarbleError `model/unknown-word`, `rl/prompt-too-long`, `rl/no-tokenizer`
 */
export function requireReadable({ policy, source, config }: Run, trained: number): void {
  const { suite, validation } = source;
  const isSmall = !tokenizerOf(policy).hasChatTemplate;
  const count = Math.max(1, isSmall ? trained : Math.min(trained, ENCODED));
  const newTokens = config.method === 'rl' ? suite.maxNewTokens : 1; // gold completions may be shorter
  encodeSet(policy, source.training(0, count), newTokens, ofStories('its training set (data.source)'));
  suitePrompts(policy, suite);
  const validating = ofStories('the validation set (data.source, evaluation.validationItems)');
  encodeSet(policy, validation, suite.maxNewTokens, validating);
}
