/** Prompt baselines: how a model answers without training, by a plain prompt or by one that asks for a chain of thought. */
import type { PromptBaseline } from '../../tom/item';
import { withEachSet, type EvalSuite } from '../data';

/** The suite with every item asked by the baseline's prompt (`formatPrompt`). */
export function withPromptBaseline(suite: EvalSuite, baseline: PromptBaseline): EvalSuite {
  return withEachSet(suite, (set) => set.map((item) => ({ ...item, baseline })));
}
