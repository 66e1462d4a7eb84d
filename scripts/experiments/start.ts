/** Starts: models pretrained from a seed, kept in a folder that git ignores and made again wherever it is missing. */
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import type { Engine, Policy } from '../../src/index';
import { loadPolicy } from '../../src/index';
import { pretrainingRates, pretrainingRecipe, warmStart } from '../../src/rl/warm-start';
import { swapVocabulary } from '../../src/tom/swap-text';
import { modelFiles } from '../model-files';
import { newModel, shapes } from '../model-shapes';
import type { StartPlan } from './plan';

const FOLDER = '.cache/experiments/starts';

export function startFolder({ id }: StartPlan): string {
  return `${FOLDER}/${id}`;
}

export function isMade(plan: StartPlan): boolean {
  return existsSync(startFolder(plan));
}

/** Pretrains the start and writes its files; returns how it went. */
export async function makeStart(
  engine: Engine,
  plan: StartPlan,
): Promise<{ seconds: number; tokens: number; losses: number[] }> {
  const started = performance.now();
  const { policy, tokenizerFiles } = await newModel(engine, shapes[plan.size], swapVocabulary(), plan.seed);
  const recipe = pretrainingRecipe({
    seed: plan.seed,
    steps: plan.steps,
    data: { source: 'swap', orders: [1, 2, 3], dropShortcutRight: 0, reentry: false },
    learningRate: pretrainingRates[plan.size],
    mix: plan.mix,
  });
  const losses: number[] = [];
  const { tokens } = await warmStart(policy, recipe, {
    onStep: ({ step, loss }) => {
      if (step % 50 === 0) losses.push(loss);
    },
  });
  const part = `${startFolder(plan)}.part-${process.pid}`;
  await mkdir(part, { recursive: true });
  const files: Record<string, Blob | string> = { ...(await policy.exportModel()), ...tokenizerFiles };
  for (const [name, content] of Object.entries(files)) {
    const bytes = typeof content === 'string' ? content : new Uint8Array(await content.arrayBuffer());
    await writeFile(`${part}/${name}`, bytes);
  }
  // Two processes may make the same start; both make the same bytes, and the first is kept.
  if (!isMade(plan)) await rename(part, startFolder(plan));
  policy.dispose();
  return { seconds: (performance.now() - started) / 1000, tokens, losses };
}

export async function openStart(engine: Engine, plan: StartPlan): Promise<Policy> {
  return loadPolicy(engine, { files: await modelFiles(startFolder(plan)) });
}
