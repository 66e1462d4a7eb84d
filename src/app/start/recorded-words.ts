/** What the first screen says of the recordings' settings, read off them. */
import type { RunConfig } from '../../run/config/config';
import { percent } from '../ui/numbers';
import { presetNames } from './preset-descriptions';
import type { Recording } from './recording';

/** What happens in the stories of a generator. */
const stories: Readonly<Record<string, string>> = {
  swap: 'people swap what lies in two places',
  nano: 'people move a thing or leave it',
};

/** `Stories in which people swap what lies in two places, questions of order 1, 2, 3` */
export function storyWords({ data: { source, orders } }: Pick<RunConfig, 'data'>): string {
  const kind = stories[source];
  const what = kind === undefined ? `Stories of “${source}”` : `Stories in which ${kind}`;
  return `${what}; questions of order ${orders.join(', ')}`;
}

/** `128 completions a step, 150 steps` */
export function sizeOfRun({ rollout, steps }: Pick<RunConfig, 'rollout' | 'steps'>): string {
  return `${rollout.promptsPerStep * rollout.samplesPerPrompt} completions a step, ${steps} steps`;
}

/** What the shortcut alone would score on the questions of the evaluations. */
export function shortcutWords({ evals }: Pick<Recording, 'evals'>): string {
  return percent(evals[0].report.shortcutLine);
}

/** How far the runs can be compared: what all are paid for, and which of them has stories of its own. */
export function comparisonOf(recordings: readonly Pick<Recording, 'config'>[]): string {
  const [first, ...rest] = recordings.map(({ config }) => config);
  const sameReward = rest.every(({ reward }) => JSON.stringify(reward) === JSON.stringify(first.reward));
  const paid = sameReward ? 'All have the same reward' : 'Their rewards differ';
  const others = rest.filter(({ data }) => data.source !== first.data.source);
  const quoted = (some: typeof rest): string =>
    some.map(({ preset }) => `“${presetNames[preset]}”`).join(' and ');
  const starts = rest.filter(
    ({ data, model }) =>
      data.source === first.data.source && JSON.stringify(model) !== JSON.stringify(first.model),
  );
  const differ = [
    starts.length === 0 ? '' : `${quoted(starts)} has the same stories and another start`,
    others.length === 0 ? '' : `${quoted(others)} has other stories and another start`,
  ].filter((words) => words !== '');
  if (differ.length === 0) return `${paid}.`;
  return `${paid}, but this is no controlled comparison: ${differ.join(', ')}.`;
}
