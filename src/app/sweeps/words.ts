/** Sweeps in words. */
import type { SweepAxes } from '../../run/sweep/sweep';
import { extraFields } from '../../share/link-extras';

/** Name of an arm: the base itself has none of its own. */
export function armName(arm: string): string {
  return arm === '' ? 'as configured' : arm;
}

export const axisLabels: Record<keyof SweepAxes, string> = {
  seed: 'Seeds',
  model: 'Size',
  reward: 'Reward',
  algorithm: 'Algorithm',
  klCoefficient: 'KL penalty',
  temperature: 'Temperature',
  learningRate: 'Learning rate',
  dropShortcutRight: 'Shortcut items dropped',
  orders: 'Orders of belief',
};

/** `reward tom-rl, faithful; seeds 1, 2, 3`. */
export function axesWords(axes: SweepAxes): string {
  return [...extraFields({ sweep: axes })]
    .map(([field, values]) => {
      const label = axisLabels[field.slice('sweep.'.length) as keyof SweepAxes];
      return `${label.toLowerCase()} ${values.replaceAll(',', ', ')}`;
    })
    .join('; ');
}
