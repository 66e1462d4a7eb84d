/**
 * Sweeps: many runs from one configuration, one after another. What varies is named by axes, and their product in a
 * fixed order is the queue, so that a sweep that was interrupted goes on where it stopped. Runs that differ by their
 * seed alone are then compared as one arm (`arms.ts`), because a single seed proves nothing. The page runs a queue
 * (`app/page/sweep-queue.ts`).
 */
import { algorithms, type AlgorithmName } from '../../objective/algorithm';
import { checkKeys } from '../../base/known-keys';
import { isEmbedded, type ModelChoice, type RunConfig } from '../config/config';
import { homePresets, presets } from '../config/presets';

/** What may vary; an axis that is not given stays as the base has it. */
export interface SweepAxes {
  model?: readonly ModelChoice[];
  algorithm?: readonly AlgorithmName[];
  reward?: readonly RunConfig['reward']['preset'][];
  klCoefficient?: readonly number[];
  temperature?: readonly number[];
  learningRate?: readonly number[];
  dropShortcutRight?: readonly number[];
  /** Sets of training orders. */
  orders?: readonly (readonly number[])[];
  seed?: readonly number[];
}

export interface SweepRun {
  /** What differs from the base besides the seed: `kl 0.05, temperature 0.6`; empty for the base itself. */
  arm: string;
  config: RunConfig;
}

interface Axis<Value> {
  label(value: Value): string;
  apply(config: RunConfig, value: Value): RunConfig;
}

/** The peak rate of a model's own preset; undefined where it has none. */
function ownRate(model: ModelChoice): number | undefined {
  return model.kind === 'embedded' && isEmbedded(model.name)
    ? presets[homePresets[model.name]].optimizer.learningRate
    : undefined;
}

/** A size's own rate, as the study registered it, unless the base has another than its model's own. */
function rateFor(model: ModelChoice, { model: before, optimizer }: RunConfig): number {
  return (optimizer.learningRate === ownRate(before) ? ownRate(model) : undefined) ?? optimizer.learningRate;
}

type AxisValue<Name extends keyof SweepAxes> = NonNullable<SweepAxes[Name]>[number];

/** In the order of the queue: the last varies fastest. */
const axes: { [Name in keyof Required<SweepAxes>]: Axis<AxisValue<Name>> } = {
  model: {
    label: (model) => ('name' in model ? model.name : 'repository' in model ? model.repository : model.url),
    apply: (config, model) => ({
      ...config,
      model,
      optimizer: { ...config.optimizer, learningRate: rateFor(model, config) },
    }),
  },
  algorithm: {
    label: (name) => name,
    apply: (config, name) => ({ ...config, algorithm: algorithms[name] }),
  },
  reward: {
    label: (preset) => `${preset} reward`,
    apply: (config, preset) => ({ ...config, reward: { preset } }),
  },
  klCoefficient: {
    label: (value) => `kl ${value}`,
    apply: (config, coefficient) => ({
      ...config,
      algorithm: { ...config.algorithm, kl: { ...config.algorithm.kl, coefficient } },
    }),
  },
  temperature: {
    label: (value) => `temperature ${value}`,
    apply: (config, temperature) => ({ ...config, rollout: { ...config.rollout, temperature } }),
  },
  learningRate: {
    label: (value) => `learning rate ${value}`,
    apply: (config, learningRate) => ({ ...config, optimizer: { ...config.optimizer, learningRate } }),
  },
  dropShortcutRight: {
    label: (value) => `shortcut dropped ${value}`,
    apply: (config, dropShortcutRight) => ({ ...config, data: { ...config.data, dropShortcutRight } }),
  },
  orders: {
    label: (orders) => `orders ${orders.join('')}`,
    apply: (config, orders) => ({ ...config, data: { ...config.data, orders: [...orders] } }),
  },
  seed: { label: () => '', apply: (config, seed) => ({ ...config, seed }) },
};

/** Every combination of the axes' values, in a fixed order. */
export function expandSweep(base: RunConfig, varied: SweepAxes): SweepRun[] {
  checkKeys('expandSweep', varied, axes);
  let runs: SweepRun[] = [{ arm: '', config: base }];
  for (const name of Object.keys(axes) as (keyof SweepAxes)[]) {
    runs = alongAxis(runs, name, varied[name]);
  }
  return runs;
}

function alongAxis<Name extends keyof SweepAxes>(
  runs: SweepRun[],
  name: Name,
  values: SweepAxes[Name],
): SweepRun[] {
  if (values === undefined) return runs;
  const axis = axes[name] as Axis<AxisValue<Name>>;
  return runs.flatMap(({ arm, config }) =>
    (values as readonly AxisValue<Name>[]).map((value) => ({
      arm: [arm, axis.label(value)].filter((part) => part !== '').join(', '),
      config: axis.apply(config, value),
    })),
  );
}
