/** Words for sweeps and their arms. */
import type { SweepAxes } from '../../run/sweep/sweep';
import { extraFields } from '../../share/link-extras';
import { valueWords } from './run-words';

const namedAxes: Readonly<Record<string, string | undefined>> = {
  reward: 'reward.preset',
  algorithm: 'algorithm.name',
  model: 'model.name',
};

export const nameOn = (axis: string, value: string): string =>
  namedAxes[axis] === undefined ? value : valueWords(namedAxes[axis], value);

/** Part of an arm's name (`run/sweep/sweep.ts`), in the words of the form. */
function partWords(part: string): string {
  const [, reward] = /^(\S+) reward$/.exec(part) ?? [];
  if (reward !== undefined) return `paid for ${nameOn('reward', reward)}`;
  const [, kl] = /^kl (\S+)$/.exec(part) ?? [];
  if (kl !== undefined) return `KL penalty ${kl}`;
  const [, dropped] = /^shortcut dropped (\S+)$/.exec(part) ?? [];
  if (dropped !== undefined)
    return dropped === '0'
      ? 'all questions'
      : `without ${Math.round(100 * Number(dropped))} % of the questions the shortcut solves`;
  const [, orders] = /^orders (\d+)$/.exec(part) ?? [];
  if (orders !== undefined) return `orders ${orders.split('').join(' ')}`;
  const algorithm = nameOn('algorithm', part);
  if (algorithm !== part) return algorithm;
  const model = nameOn('model', part);
  return model === part ? part : `${model} model`;
}

/** Display name of an arm. The base configuration is the unnamed arm. */
export function armName(arm: string): string {
  return arm === '' ? 'as configured' : arm.split(', ').map(partWords).join(', ');
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

/** Minimum number of runs for an interval. That of two runs is too wide to be useful. */
export const fewestRuns = 3;

/**
 * ` ± 7`, in percentage points. Empty for too few runs, and for runs with equal results, which do not prove certainty. An
 * interval over ± 100 is not written out.
 *
 * @param margin - half of the interval of the mean over `runs`; null without an interval
 */
export function marginWords(runs: number, margin: number | null): string {
  if (margin === null || runs < fewestRuns) return '';
  if (margin > 1) return ' ± over 100';
  return margin >= 0.005 ? ` ± ${Math.round(100 * margin)}` : margin > 0 ? ' ± under 1' : '';
}
