/** Experiments of docs/workshop.md that a class link can hold. */
import type { SweepAxes } from '../../run/sweep/sweep';

interface Experiment {
  title: string;
  question: string;
  preset: string;
  axes: SweepAxes;
}

/** The first one is short: its verdict takes less than a minute. */
export const experiments: readonly Experiment[] = [
  {
    title: 'A short lesson: one small model, other seeds',
    question: 'Where the reward rises, does the thinking stay?',
    preset: 'ladder-12k',
    axes: {},
  },
  {
    title: 'The middle model, other seeds',
    question: 'How much of what one sees is chance?',
    preset: 'ladder-25k',
    axes: {},
  },
  {
    title: 'Paid for answers, or for correct reasoning',
    question: 'Does paying for true statements keep the reasoning?',
    preset: 'ladder-25k',
    axes: { reward: ['logic-rl', 'faithful'] },
  },
  {
    title: 'The shortcut always there, or seldom',
    question: 'Does the reasoning stay where the shortcut seldom pays?',
    preset: 'ladder-25k',
    axes: { dropShortcutRight: [0, 0.9] },
  },
];
