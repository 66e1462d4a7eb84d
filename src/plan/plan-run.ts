/**
 * Measures the memory and work of a run before anything is downloaded or computed: runs the trainer's own evaluation
 * and step on a dry engine (`src/gpu/dry`). Prompts have the longest length in a sample, and answers the maximum
 * length.
 *
 * Left out: dynamic sampling's extra rounds, which depend on answers; files in the page's memory while a model loads;
 * checkpoints on their way to storage.
 */
import { lessMemory, MarbleError } from '../base/error';
import { openDryEngine, type DryBackend } from '../gpu/dry/engine';
import type { Work } from '../gpu/wasm-kernels';
import type { Engine } from '../gpu/engine';
import { MOST_HEAP_BYTES } from '../gpu/wasm-heap';
import { parameterCount } from '../model/files/tensor-table';
import type { ModelConfig } from '../model/config';
import type { Policy } from '../model/policy';
import type { Control } from '../rl/control';
import { openItems, withEachSet, type ImportedItems, type ItemSource } from '../rl/data';
import { measure } from '../rl/evaluate/evaluate-at';
import { encodePrompt } from '../rl/rollout';
import { takeStep } from '../rl/step';
import { newTrainerState, type Run } from '../rl/trainer-state';
import type { RunConfig } from '../run/config/config';
import { importedId } from '../run/config/imported';
import { borderOf, warmStepsOf } from '../run/config/warm-start';
import { megabytes, type RunPlan } from '../run/estimate';
import type { Item } from '../tom/item';
import { loadDryPolicy } from './dry-policy';

type Phase = Exclude<keyof RunPlan['bytes'], 'peak'>;

/** Items of each set that are searched for the longest prompt. */
const SAMPLED_ITEMS = 64;
/** Number of distinct prompts, because neighbouring prompts must differ. */
const DIFFERENT_PROMPTS = 16;

/**
 * Plans a run. It replaces the open engine while it runs, so nothing else may use that engine.
 *
 * @param imported items of the data sets that the run names; without them, prompts are as long as those of generated
 * stories
 * @returns peak bytes of each phase, the largest buffer, and FLOPs and calls of each kind of step
 * @throws MarbleError `gpu/no-webgpu`
 */
export async function planRun(
  model: ModelConfig,
  requested: RunConfig,
  backend: DryBackend,
  imported: ImportedItems = {},
): Promise<RunPlan> {
  const { config, times } = cut(plannable(requested, imported));
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
    policy.freezeReference();
    enter('update');
    await takeFirstUpdate(policy);
    if (borderOf(config) > 0) {
      policy.freezeReference();
      await takeFirstUpdate(policy);
    }
    const source = longestOf(openItems(config, imported), policy);
    const state = newTrainerState(config);
    const run: Run = { policy, config, source, state };
    const work = {
      ends: await workOf(() => measure(0, false, run, control)),
      look: await workOf(() => measure(1, true, run, control)),
      step: await workOf(() => takeStep(run, config.steps, control)),
      ...(warmStepsOf(config) > 0 && { warm: await workOf(() => takeStep(run, 1, control)) }),
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

/** From the first update on, reference and policy are separate weights. */
async function takeFirstUpdate(policy: Policy): Promise<void> {
  await policy.backward([[0, 0]], [1], { objective: () => ({ logprobs: [[1]] }) });
  const adamw = { learningRate: 0, beta1: 0, beta2: 0, epsilon: 1, weightDecay: 0, maxGradNorm: 1 };
  await policy.update(adamw);
}

/** Maximum tokens of a planned step. More tokens do not change the step's memory, and its work grows linearly. */
const PLANNED_TOKENS = 2 ** 17;

/** The step with fewer completions, and the factor by which the full step's work is larger. */
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

/**
 * The run without dynamic sampling, which depends on answers, and with generated stories if its imported data is
 * missing.
 */
function plannable(config: RunConfig, { training }: ImportedItems): RunConfig {
  const isMissing = importedId(config.data.source) !== null && training === undefined;
  const data = isMissing ? { ...config.data, source: 'hitom-exploretom', orders: [1] } : config.data;
  return { ...config, data, algorithm: { ...config.algorithm, resampleRounds: 0 } };
}

/** The same sets with every item replaced by the set's longest prompt. */
function longestOf(source: ItemSource, policy: Policy): ItemSource {
  const { suite } = source;
  const lengthOf = (item: Item): number => encodePrompt(policy, item, suite.maxNewTokens).length;
  const longest = (items: readonly Item[]): Item =>
    items.slice(0, SAMPLED_ITEMS).reduce((best, item) => (lengthOf(item) > lengthOf(best) ? item : best));
  /** Trailing spaces make the prompts distinct. */
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
    suite: withEachSet(suite, filled),
  };
}

/**
 * The resource that a plan exceeds, as an error that names the settings to lower; null if the run fits. A GPU does not
 * report its amount of memory.
 */
export function refusalOf(
  { bytes, largest }: RunPlan,
  { backend, capabilities }: Pick<Engine, 'backend' | 'capabilities'>,
): MarbleError | null {
  const refuse = (code: 'model/memory-too-small' | 'model/adapter-too-small', message: string) =>
    new MarbleError(code, message, lessMemory);
  if (backend === 'wasm' && bytes.peak > MOST_HEAP_BYTES) {
    return refuse(
      'model/memory-too-small',
      `The run needs ${megabytes(bytes.peak)} of memory, and the CPU backend holds at most ${megabytes(MOST_HEAP_BYTES)}.`,
    );
  }
  if (capabilities === null) return null;
  for (const [needed, most] of [
    [largest.allocated, capabilities.maxBufferBytes],
    [largest.bound, capabilities.maxBindingBytes],
  ]) {
    if (needed <= most) continue;
    return refuse(
      'model/adapter-too-small',
      `The run needs a buffer of ${megabytes(needed)}, and this graphics adapter takes at most ${megabytes(most)} at once.`,
    );
  }
  return null;
}
