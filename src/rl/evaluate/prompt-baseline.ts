/** Prompt baselines: how a model answers without training, by a plain prompt or by one that asks for a chain of thought. */
import type { Item, PromptBaseline } from '../../tom/item';
import type { EvalSuite } from '../data';

/** The suite with every item asked by the baseline's prompt (`formatPrompt`). */
export function withPromptBaseline(suite: EvalSuite, baseline: PromptBaseline): EvalSuite {
  const asked = (items: readonly Item[]): Item[] => items.map((item) => ({ ...item, baseline }));
  const heldOut = Object.entries(suite.heldOut).map(([name, items]) => [name, asked(items)] as const);
  return {
    ...suite,
    items: asked(suite.items),
    hard: asked(suite.hard),
    heldOut: Object.fromEntries(heldOut),
    tasks: asked(suite.tasks),
  };
}
