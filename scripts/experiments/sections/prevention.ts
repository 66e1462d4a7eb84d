/** H5 on docs/results.md. */
import { preventionFigure } from '../figures/prevention';
import { percent, table, withInterval } from '../format';
import type { Settled } from '../hypotheses/finding';
import { type Prevention } from '../hypotheses/prevention';
import { type Section, ending, tested, yesNo } from './section';

export function preventionSection(h5: Prevention, settled: Settled, draws: number): Section {
  const { base, arms, shortening, progress } = h5;
  const preventing = arms.filter(({ prevents }) => prevents === true).map(({ name }) => name);
  const debiased = arms.find(({ name }) => name === 'de-biased benchmark')!;
  const steps =
    shortening === null
      ? ''
      : `The think length has halved at step ${shortening.penalty.toFixed(1)} with the length penalty and at ${shortening.base.toFixed(1)} without (means of ${shortening.starts} starts): ${shortening.penalty < shortening.base ? 'sooner' : 'not sooner'}.`;
  const numbers =
    settled.state === 'not decided'
      ? ''
      : ` The de-biased benchmark ${debiased.prevents === true ? 'prevents' : 'does not prevent'} the loss: F after / F before is ${withInterval(debiased.kept)} (n = ${debiased.runs.length} runs; ${tested(h5, settled, draws)}). Arms that prevent: ${preventing.length === 0 ? 'none' : preventing.join(', ')}. ${steps}`;
  const interim = settled.state === 'not decided' && steps !== '' ? [steps, ''] : [];
  return {
    heading: 'H5: what keeps the reasoning',
    outcome: `${ending(settled.state, progress)}${numbers}`,
    claim:
      'with the de-biased benchmark at least .8 of F is kept (lower bound), and a length penalty shortens sooner than none. The other arms are reported by the same bound.',
    figures: [base, ...arms].some(({ runs }) => runs.length > 0)
      ? {
          'h5-prevention.svg': {
            svg: preventionFigure(h5),
            about: 'Fraction of faithful traces that each arm keeps, with intervals and the line at .8',
          },
        }
      : {},
    table: [base, ...arms].some(({ runs }) => runs.length > 0)
      ? [
          ...interim,
          ...table(
            ['change', 'runs', 'F after / F before', 'prevents', 'lost their reasoning', 'greedy accuracy %'],
            [base, ...arms].map(({ name, runs, progress: made, kept, prevents }) => {
              const mean = (side: 'before' | 'now'): number =>
                runs.reduce((sum, { verdict }) => sum + verdict.belief[side], 0) / runs.length;
              const reasoned = runs.filter((run) => run.reasoned);
              return [
                name,
                `${made.made} of ${made.planned}`,
                withInterval(kept),
                yesNo(prevents),
                `${reasoned.filter(({ loses }) => loses).length} of ${reasoned.length}`,
                runs.length === 0 ? '–' : `${percent(mean('before'))} → ${percent(mean('now'))}`,
              ];
            }),
          ),
        ]
      : [],
    hypothesis: 'H5',
  };
}
