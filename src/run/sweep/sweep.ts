/**
 * Sweeps: a queue of runs derived from one configuration. The queue is the Cartesian product of the axes in a fixed order,
 * which lets an interrupted sweep resume. Runs that differ only in their seed form one arm (`compare-arms.ts`), because a
 * single seed is not evidence. The page executes the queue (`app/page/sweep-queue.ts`).
 */
import { algorithms, type AlgorithmConfig, type AlgorithmName } from '../../objective/algorithm';
import { checkKeys } from '../../base/known-keys';
import { sameModel, type RunConfig } from '../config/config';
import { isEmbedded, type ModelChoice } from '../config/model-config';
import { presets, withAlgorithm } from '../config/presets';

/** Values to sweep. An absent axis keeps the value of the base. */
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

type AxisValue<Name extends keyof SweepAxes> = NonNullable<SweepAxes[Name]>[number];

/** Values of an arm by axis, in queue order. */
export type ArmValues = { [Name in Exclude<keyof SweepAxes, 'seed'>]?: AxisValue<Name> };

export interface SweepRun {
  /** Differences from the base except the seed: `kl 0.05, temperature 0.6`. Empty for the base. */
  arm: string;
  values: ArmValues;
  config: RunConfig;
}

interface Axis<Value> {
  label(value: Value): string;
  apply(config: RunConfig, value: Value): RunConfig;
}

/** Peak learning rate of a model's preset; undefined without a preset. */
function ownRate(model: ModelChoice): number | undefined {
  return model.kind === 'embedded' && isEmbedded(model.name)
    ? presets[model.name].optimizer.learningRate
    : undefined;
}

/** Learning rate that the study registered for the model size, unless the base overrides the rate of its model. */
function rateFor(model: ModelChoice, { model: before, optimizer }: RunConfig): number {
  return (optimizer.learningRate === ownRate(before) ? ownRate(model) : undefined) ?? optimizer.learningRate;
}

/** A penalty without a place would have no effect: it gets that of its algorithm's paper, or the loss. */
function withCoefficient({ name, kl }: AlgorithmConfig, coefficient: number): AlgorithmConfig['kl'] {
  if (kl.place !== 'none' || coefficient === 0) return { ...kl, coefficient };
  const { place, estimator } = algorithms[name].kl;
  const isPlaced = place !== 'none';
  return { ...kl, place: isPlaced ? place : 'loss', estimator: isPlaced ? estimator : 'k3', coefficient };
}

/** Another model starts without the adapter of the base, which fits only its own model. */
function withModel(config: RunConfig, model: ModelChoice): RunConfig {
  const { optimizer, training } = config;
  const rate = rateFor(model, config);
  const changed = { ...config, model, optimizer: { ...optimizer, learningRate: rate } };
  if (training.mode === 'full' || sameModel(changed, config)) return changed;
  const { mode, rank, alpha } = training;
  return { ...changed, training: { mode, rank, alpha } };
}

/** Axes in queue order. The last varies fastest. */
const axes: { [Name in keyof Required<SweepAxes>]: Axis<AxisValue<Name>> } = {
  model: {
    label: (model) =>
      model.kind === 'hub' ? `${model.repository} ${model.revision.slice(0, 7)}` : model.name,
    apply: withModel,
  },
  algorithm: {
    label: (name) => name,
    apply: withAlgorithm,
  },
  reward: {
    label: (preset) => `${preset} reward`,
    apply: (config, preset) => ({ ...config, reward: { ...config.reward, preset } }),
  },
  klCoefficient: {
    label: (value) => `kl ${value}`,
    apply: (config, coefficient) => ({
      ...config,
      algorithm: { ...config.algorithm, kl: withCoefficient(config.algorithm, coefficient) },
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

/** Returns the Cartesian product of the axes, in a fixed order. */
export function expandSweep(base: RunConfig, varied: SweepAxes): SweepRun[] {
  checkKeys('expandSweep', varied, axes);
  let runs: SweepRun[] = [{ arm: '', values: {}, config: base }];
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
  return runs.flatMap(({ arm, values: others, config }) =>
    (values as readonly AxisValue<Name>[]).map((value) => ({
      arm: [arm, axis.label(value)].filter((part) => part !== '').join(', '),
      values: name === 'seed' ? others : { ...others, [name]: value },
      config: axis.apply(config, value),
    })),
  );
}
