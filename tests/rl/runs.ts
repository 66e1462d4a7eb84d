/** Small runs of the table policy. */
import type { RunConfig } from '../../src/run/config/config';
import type { Checkpoint, StepRecord, TrainerEvent } from '../../src/run/record/events';
import { timingMetrics } from '../../src/run/record/metrics';
import { presets } from '../../src/run/config/presets';
import { train, type TrainOptions } from '../../src/rl/trainer';
import {
  drawVerbosities,
  type Lesson,
  goldExample,
  sftUpdate,
  type Example,
} from '../../src/rl/supervised/sft';
import { generateDataset } from '../../src/tom/worlds/generate';
import type { AdamWOptions, Policy, PolicyState } from '../../src/model/policy';
import { createTablePolicy, tableTokenizer } from './table-policy';
import type { Engine } from '../../src/gpu/engine';
import type { ModelConfig } from '../../src/model/config';
import { randomSupply } from '../model/random-supply';
import type { LoraConfig } from '../../src/model/lora';
import { policyOf, tinyConfig } from '../model/tiny';
import type { Item } from '../../src/tom/item';
import { plainItem } from '../tom/items';

export const swapData = { source: 'swap', orders: [0, 1, 2, 3], dropShortcutRight: 0, reentry: false };

export function smallConfig(changes: Partial<RunConfig> = {}): RunConfig {
  const base = presets['ladder-25k'];
  return {
    ...base,
    seed: 1,
    steps: 6,
    data: swapData,
    rollout: { promptsPerStep: 3, samplesPerPrompt: 4, temperature: 1, maxNewTokens: 24 },
    optimizer: { ...base.optimizer, learningRate: 0.05 },
    evaluation: { every: 3, items: 12, hardItems: 0, seed: 7 },
    checkpointEvery: 100,
    ...changes,
  };
}

/** A constant learning rate. */
export const constantRate = { warmupSteps: 0, finalFraction: 1, decay: 'linear' } as const;

export const warmAdamw: AdamWOptions = { learningRate: 0.3, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 10 }; // prettier-ignore

/** Gold completions of a supervised step. */
export function goldExamples(policy: Policy, seed: number, step: number, mix: Lesson['mix']): Example[] {
  const items = generateDataset({ ...swapData, seed, offset: 16 * step, count: 16 });
  const verbosities = drawVerbosities({ examples: 16, mix }, seed, step);
  return items.map((item, i) => goldExample(policy, item, verbosities[i]));
}

let warmed: Promise<PolicyState> | undefined;

async function warmTableState(): Promise<PolicyState> {
  const policy = createTablePolicy();
  const mix = { full: 20, short: 40, direct: 40 };
  for (let step = 0; step < 40; step++)
    await sftUpdate(policy, goldExamples(policy, 3, step, mix), warmAdamw);
  policy.freezeReference();
  return policy.state();
}

/** A table policy that writes the tags correctly and answers at random. */
export async function warmTable(): Promise<Policy> {
  warmed ??= warmTableState();
  const policy = createTablePolicy();
  policy.restore(await warmed);
  return policy;
}

/** A transformer with five thousand weights instead of the table. */
export const smallTransformer = (
  engine: Engine,
  lora: LoraConfig | null = null,
  changes: Partial<ModelConfig> = {},
): Promise<Policy> => {
  const shape = { hiddenSize: 16, headDim: 8, heads: 2, intermediateSize: 40, layers: 1 };
  const config = { ...tinyConfig, ...shape, vocabularySize: tableTokenizer.vocabularySize, ...changes };
  return policyOf(engine, config, randomSupply(5, 0.25), lora, tableTokenizer);
};

type Around = (
  name: string,
  call: () => Promise<unknown>,
  onProgress: ((done: number) => Promise<void> | void) | undefined,
) => unknown;

/** The policy with `around` in place of each call: of `name`, which `call` makes, with its options' `onProgress`. */
export function intercepted(policy: Policy, around: Around): Policy {
  return new Proxy<Policy>(policy, {
    get(target, name: keyof Policy) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        const options = given.at(-1) as { onProgress?: Parameters<Around>[2] } | undefined;
        const call = () => (value as (...given: unknown[]) => Promise<unknown>).apply(target, given);
        return around(name, call, options?.onProgress);
      };
    },
  });
}

export async function eventsOf(
  policy: Policy,
  config: RunConfig,
  options: TrainOptions = {},
  listen: (event: TrainerEvent) => void = () => undefined,
): Promise<TrainerEvent[]> {
  const events: TrainerEvent[] = [];
  for await (const event of train(policy, config, options)) {
    events.push(event);
    listen(event);
  }
  return events;
}

export function ofType<Type extends TrainerEvent['type']>(
  events: readonly TrainerEvent[],
  type: Type,
): Extract<TrainerEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<TrainerEvent, { type: Type }> => event.type === type);
}

/** Step records without wall-clock metrics. */
export function recordsOf(events: readonly TrainerEvent[]): StepRecord[] {
  return ofType(events, 'step').map(({ record }) => {
    const untimed = Object.entries(record).filter(([name]) => !timingMetrics.includes(name));
    return Object.fromEntries(untimed) as StepRecord;
  });
}

export function lastCheckpoint(events: readonly TrainerEvent[]): Checkpoint {
  return ofType(events, 'checkpoint').at(-1)!.checkpoint;
}

/** The answer is always the same word: a bandit with one good arm of eight. */
export const bandit: Item[] = Array.from({ length: 40 }, (_, story) =>
  plainItem({
    ...{ id: `bandit-${story}`, dataset: 'bandit', storyId: String(story), order: 0 },
    ...{ story: 'ann entered . coin in jar .', question: 'where is coin ?', answer: 'jar' },
  }),
);
