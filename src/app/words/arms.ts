/** Words for sweeps and their arms. */
import type { ArmValues, SweepAxes } from '../../run/sweep/sweep';
import { extraFields } from '../../share/link-extras';
import { modelTitle, valueWords } from './run-words';

const namedAxes: Readonly<Record<string, string | undefined>> = {
  reward: 'reward.preset',
  algorithm: 'algorithm.name',
  model: 'model.name',
};

export const nameOn = (axis: string, value: string): string =>
  namedAxes[axis] === undefined ? value : valueWords(namedAxes[axis], value);

/** Parts of an arm's name, in the words of the form. */
const partWords: { [Axis in keyof ArmValues]-?: (value: NonNullable<ArmValues[Axis]>) => string } = {
  model: (model) => `${modelTitle(model)} model`,
  algorithm: (name) => nameOn('algorithm', name),
  reward: (preset) => `paid for ${nameOn('reward', preset)}`,
  klCoefficient: (coefficient) => `KL penalty ${coefficient}`,
  temperature: (temperature) => `temperature ${temperature}`,
  learningRate: (rate) => `learning rate ${rate}`,
  dropShortcutRight: (part) =>
    part === 0
      ? 'all questions'
      : `without ${Number((100 * part).toPrecision(12))} % of the questions the shortcut solves`,
  orders: (orders) => `orders ${orders.join(' ')}`,
};

/** Name of an arm that sets no value, such as the single arm of a sweep over seeds. */
export const asConfigured = 'as configured';

export function armName({ values }: { values: ArmValues }): string {
  const parts = Object.entries(values).map(([axis, value]) =>
    partWords[axis as keyof ArmValues](value as never),
  );
  return parts.join(', ') || asConfigured;
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
export function axesWords(axes: SweepAxes): string {
  return [...extraFields({ sweep: axes })]
    .map(([field, values]) => {
      const axis = field.slice('sweep.'.length) as keyof SweepAxes;
      const names = values.split(',').map((value) => nameOn(axis, value));
      return `${axisTexts[axis].label.toLowerCase()} ${names.join(', ')}`;
    })
    .join('; ');
}

/** ` ± 7`, in percentage points. Empty without an interval. One over ± 100 is not written out. */
export function marginWords(margin: number | null): string {
  if (margin === null) return '';
  if (margin > 1) return ' ± over 100';
  return margin >= 0.005 ? ` ± ${Math.round(100 * margin)}` : ' ± under 1';
}
