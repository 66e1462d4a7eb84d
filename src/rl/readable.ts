/** Encodes the questions that a run asks. */
import { MarbleError } from '../base/error';
import type { Policy } from '../model/policy';
import type { EvalSuite } from './data';
import { encodePrompt, tokenizerOf } from './rollout';
import type { Run } from './trainer-state';

/**
 * Prompts of a test: its fixed set, the held-out sets, the hard questions and the other tasks.
 *
 * @throws MarbleError `model/unknown-word`, `rl/prompt-too-long`
 */
export function suitePrompts(
  policy: Policy,
  { items, heldOut, hard, tasks, maxNewTokens }: EvalSuite,
): number[][] {
  return [...items, ...Object.values(heldOut).flat(), ...hard, ...tasks].map((item) =>
    encodePrompt(policy, item, maxNewTokens),
  );
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
  const { suite } = source;
  const isSmall = !tokenizerOf(policy).hasChatTemplate;
  const count = Math.max(1, isSmall ? trained : Math.min(trained, ENCODED));
  const newTokens = config.method === 'rl' ? suite.maxNewTokens : 1; // gold completions may be shorter
  try {
    for (const item of source.training(0, count)) encodePrompt(policy, item, newTokens);
    suitePrompts(policy, suite);
  } catch (thrown) {
    if (!(thrown instanceof MarbleError) || thrown.code !== 'model/unknown-word') throw thrown;
    const { model } = config;
    const name = model.kind === 'hub' ? model.repository : model.name;
    throw new MarbleError(
      thrown.code,
      `The model ${name} cannot read a question of this run. ${thrown.message}`,
      'Choose other questions (data.source, evaluation.taskItems, evaluation.imported), or a model that reads English, such as that of the preset first-run-135m.',
      { cause: thrown },
    );
  }
}
