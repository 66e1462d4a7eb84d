/**
 * What a run needs, before anything of it is fetched or computed: the trainer's own evaluation and step are run on a dry
 * engine (`src/gpu/dry`). Prompts are as long as the longest of a sample, answers as long as allowed.
 *
 * Left out: dynamic sampling's extra rounds and the falsified traces of an evaluation, which depend on answers; files in
 * the page's memory while a model loads; checkpoints on their way to storage.
 */
import { openDryEngine, type DryBackend } from '../gpu/dry/engine';
import type { Work } from '../gpu/dry/work';
import { parameterCount } from '../model/files/tensor-table';
import type { ModelConfig } from '../model/config';
import type { Policy } from '../model/policy';
import type { Control } from '../rl/control';
import { openItems, type ImportedItems, type ItemSource } from '../rl/data';
import { measure } from '../rl/evaluate/evaluate-at';
import { encodePrompt } from '../rl/rollout';
import { takeStep } from '../rl/take-step';
import { newTrainerState, type Run } from '../rl/trainer-state';
import type { RunConfig } from '../run/config/config';
import { importedId } from '../run/config/imported';
import { warmStepsOf } from '../run/config/warm-start';
import type { RunPlan } from '../run/estimate';
import type { Item } from '../tom/item';
import { loadDryPolicy } from './dry-policy';

type Phase = Exclude<keyof RunPlan['bytes'], 'peak'>;

/** Items of each set, among which the longest prompt is found. */
const SAMPLED_ITEMS = 64;
/** Prompts next to each other must not be one. */
const DIFFERENT_PROMPTS = 16;

/**
 * Takes the place of the open engine for as long as it runs: nothing may use that one meanwhile.
 *
 * @param imported items of the data sets that the run names; without them its prompts are taken to be as long as our own
 * @throws MarbleError `gpu/no-webgpu`
 */
export async function planRun(
  model: ModelConfig,
  asked: RunConfig,
  backend: DryBackend,
  imported: ImportedItems = {},
): Promise<RunPlan> {
  const { config, times } = cut(plannable(asked, imported));
  const engine = await openDryEngine({ backend });
  const bytes = { load: 0, evaluate: 0, rollout: 0, reference: 0, update: 0 };
  let phase: Phase = 'load';
  const enter = (next: Phase): void => {
    bytes[phase] = Math.max(bytes[phase], engine.memory().peak);
    engine.resetPeak();
    phase = next;
  };
  const control: Control = {
    times: () => ({ rollout: 0, reward: 0, reference: 0, update: 0 }),
    commit: () => undefined,
    alert: () => Promise.resolve(),
    tick: (next) => {
      if (next in bytes) enter(next as Phase);
      return Promise.resolve();
    },
  };
  const workOf = async (run: () => Promise<unknown>): Promise<Work> => {
    const { flops, calls } = engine.work;
    await run();
    return { flops: engine.work.flops - flops, calls: engine.work.calls - calls };
  };
  try {
    const policy = await loadDryPolicy(engine, model, config);
    const isWarmed = warmStepsOf(config) > 0;
    policy.freezeReference();
    enter('update');
    await takeFirstUpdate(policy);
    if (isWarmed) {
      policy.freezeReference();
      await takeFirstUpdate(policy);
    }
    const source = longestOf(openItems(config, imported), policy);
    const state = newTrainerState(config);
    const run: Run = { policy, config, source, state, watchesTokens: true };
    const work = {
      ends: await workOf(() => measure(0, false, run, control)),
      look: await workOf(() => measure(1, true, run, control)),
      step: await workOf(() => takeStep(run, config.steps, control)),
      ...(isWarmed && { warm: await workOf(() => takeStep(run, 1, control)) }),
    };
    work.step = { flops: times * work.step.flops, calls: times * work.step.calls };
    enter('update');
    policy.dispose();
    const { allocated } = engine.memory();
    const peak = backend === 'wasm' ? allocated : Math.max(...Object.values(bytes));
    return {
      backend,
      parameters: parameterCount(model),
      bytes: { ...bytes, peak },
      largest: engine.largest(),
      work,
    };
  } finally {
    await engine.dispose();
  }
}

/** From the first update on, the reference and the policy are two. */
async function takeFirstUpdate(policy: Policy): Promise<void> {
  await policy.backward([[0, 0]], [1], { objective: () => ({ logprobs: [[1]] }) });
  const adamw = { learningRate: 0, beta1: 0, beta2: 0, epsilon: 1, weightDecay: 0, maxGradNorm: 1 };
  await policy.update(adamw);
}

/** Tokens of a step that are gone through. What a step holds does not grow with more of them, and its work does evenly. */
const PLANNED_TOKENS = 2 ** 17;

/** The same step with fewer completions, and how many times the work of it the whole takes. */
function cut(config: RunConfig): { config: RunConfig; times: number } {
  const { promptsPerStep, samplesPerPrompt, maxNewTokens } = config.rollout;
  const most = Math.max(1, Math.floor(PLANNED_TOKENS / maxNewTokens));
  const prompts = Math.max(1, Math.min(promptsPerStep, Math.floor(most / samplesPerPrompt)));
  const samples = Math.min(samplesPerPrompt, Math.max(2, most));
  return {
    config: { ...config, rollout: { ...config.rollout, promptsPerStep: prompts, samplesPerPrompt: samples } },
    times: (promptsPerStep * samplesPerPrompt) / (prompts * samples),
  };
}

/** The run without what only its answers decide, and with stories of our own in place of those that are not here. */
function plannable(config: RunConfig, { training }: ImportedItems): RunConfig {
  const isMissing = importedId(config.data.source) !== null && training === undefined;
  const data = isMissing ? { ...config.data, source: 'hitom-exploretom', orders: [1] } : config.data;
  return { ...config, data, algorithm: { ...config.algorithm, resampleRounds: 0 } };
}

/** The same sets, in each of which every item has its longest prompt. */
function longestOf(source: ItemSource, policy: Policy): ItemSource {
  const { validation, suite } = source;
  const lengthOf = (item: Item): number => encodePrompt(policy, item, suite.maxNewTokens).length;
  const longest = (items: readonly Item[]): Item =>
    items.slice(0, SAMPLED_ITEMS).reduce((best, item) => (lengthOf(item) > lengthOf(best) ? item : best));
  /** Spaces tell the prompts apart. */
  const copies = (item: Item, count: number): Item[] =>
    Array.from({ length: count }, (_, i) => ({
      ...item,
      question: item.question + ' '.repeat(1 + (i % DIFFERENT_PROMPTS)),
    }));
  const filled = (items: readonly Item[]): Item[] =>
    items.length === 0 ? [] : copies(longest(items), items.length);
  const trained = longest(source.training(0, SAMPLED_ITEMS));
  return {
    training: (_, count) => copies(trained, count),
    validation: filled(validation),
    suite: {
      ...suite,
      items: filled(suite.items),
      hard: filled(suite.hard),
      tasks: filled(suite.tasks),
      heldOut: Object.fromEntries(
        Object.entries(suite.heldOut).map(([name, items]) => [name, filled(items)]),
      ),
    },
  };
}
