/** Words for sweeps and their arms. */
import type { ArmValues, SweepAxes } from '../../run/sweep/sweep';
import { extraFields } from '../../share/link-extras';
import { valueWords } from './run-words';

const namedAxes: Readonly<Record<string, string | undefined>> = {
  reward: 'reward.preset',
  algorithm: 'algorithm.name',
  model: 'model.name',
};

export function nameOn(axis: string, value: string): string {
  if (axis === 'dropShortcutRight') return `${Number((100 * Number(value)).toPrecision(12))} %`;
  return namedAxes[axis] === undefined ? value : valueWords(namedAxes[axis], value);
}

/** Name of an arm that sets no value, such as the single arm of a sweep over seeds. */
export const asConfigured = 'as configured';

/** `size middle, KL penalty 0.1` */
export function armName({ values }: { values: ArmValues }): string {
  const axes = Object.fromEntries(Object.entries(values).map(([axis, value]) => [axis, [value]]));
  return axesWords(axes, ', ') || asConfigured;
}

/** In the order of the form. */
export const axisTexts: Record<keyof SweepAxes, { label: string; explain: string }> = {
  seed: { label: 'Seeds', explain: 'With commas. Three say more than one; five more than three.' },
  klCoefficient: { label: 'KL penalty', explain: 'Such as 0, 0.05. None: as in the settings.' },
  temperature: { label: 'Temperature', explain: 'Such as 0.6, 1.' },
  dropShortcutRight: {
    label: 'Leave out questions the shortcut solves',
    explain: '0 keeps all, 1 none. Such as 0, 0.75.',
  },
  learningRate: { label: 'Learning rate', explain: 'Such as 0.001, 0.0015.' },
  orders: { label: 'Orders of belief', explain: 'Training orders by their digits. Such as 0123, 1.' },
  model: {
    label: 'Size',
    explain: 'None: as in the settings. Each has its own learning rate, unless you set one.',
  },
  reward: { label: 'Paid for', explain: 'Answers or reasoning.' },
  algorithm: { label: 'Algorithm', explain: 'With its own settings of baseline, clip and KL.' },
};

/** `paid for Right answers (ToM-RL), Correct reasoning; seeds 1, 2, 3`. */
export function axesWords(axes: SweepAxes, separator = '; '): string {
  return [...extraFields({ sweep: axes })]
    .map(([field, values]) => {
      const axis = field.slice('sweep.'.length) as keyof SweepAxes;
      const names = values.split(',').map((value) => nameOn(axis, value));
      const label = axisTexts[axis].label.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
      return `${label} ${names.join(', ')}`;
    })
    .join(separator);
}
