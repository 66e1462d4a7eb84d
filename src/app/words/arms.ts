/** Sweeps in words. */
import type { SweepAxes } from '../../run/sweep/sweep';
import { extraFields } from '../../share/link-extras';

/** Name of an arm: the base itself has none of its own. */
export function armName(arm: string): string {
  return arm === '' ? 'as configured' : arm;
}

/** In the order of the form. */
export const axisTexts: Record<keyof SweepAxes, { label: string; explain: string }> = {
  seed: { label: 'Seeds', explain: 'With commas. Three say more than one; five more than three.' },
  klCoefficient: { label: 'KL penalty', explain: 'Such as 0, 0.05. None: as in the settings.' },
  temperature: { label: 'Temperature', explain: 'Such as 0.6, 1.' },
  dropShortcutRight: {
    label: 'Leave out questions the shortcut solves',
    explain: 'The shortcut dial, 0 to 1: 0 keeps all, 1 none. Such as 0, 0.75.',
  },
  learningRate: { label: 'Learning rate', explain: 'Such as 0.001, 0.0015.' },
  orders: {
    label: 'Orders of belief',
    explain: 'Sets of training orders by their digits. Such as 0123, 1.',
  },
  model: {
    label: 'Size',
    explain:
      'None ticked: as in the settings. Each takes its own learning rate, unless you have set another.',
  },
  reward: { label: 'Reward', explain: 'What is paid for.' },
  algorithm: { label: 'Algorithm', explain: 'With its own settings of baseline, clip and KL.' },
};

/** `reward tom-rl, faithful; seeds 1, 2, 3`. */
export function axesWords(axes: SweepAxes): string {
  return [...extraFields({ sweep: axes })]
    .map(([field, values]) => {
      const { label } = axisTexts[field.slice('sweep.'.length) as keyof SweepAxes];
      return `${label.toLowerCase()} ${values.replaceAll(',', ', ')}`;
    })
    .join('; ');
}

/** Behind an interval: that of two runs is so wide that it says nothing. */
export const fewestRuns = 3;

/**
 * ` ± 7`, in hundredths. Few runs that lie far apart say next to nothing: more than ± 100 is not spelled out; nor are runs
 * that are all alike sure.
 *
 * @param margin - half of the interval of the mean over `runs`; null where there is none
 */
export function marginWords(runs: number, margin: number | null): string {
  if (margin === null || runs < fewestRuns) return '';
  if (margin > 1) return ' ± over 100';
  return margin >= 0.005 ? ` ± ${Math.round(100 * margin)}` : margin > 0 ? ' ± under 1' : '';
}
