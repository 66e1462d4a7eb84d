/** H2 and H3 on docs/results.md: what size changes, and through what. */
import { gapFigure } from '../figures/gap';
import { losingFigure } from '../figures/losing';
import { decimal, table, withInterval } from '../format';
import { stateOf, type Settled } from '../hypotheses/finding';
import type { Mediation } from '../hypotheses/mediation';
import { LEAST_DIFFERENCE, type SizeEffect } from '../hypotheses/size';
import { type Section, ending, tested, losingTable, anyRun } from './section';

export function sizeSection(h2: SizeEffect, settled: Settled, draws: number): Section {
  const { groups, difference, progress } = h2;
  const [small, , large] = groups;
  const sentence =
    settled.state === 'stands' ? 'Fewer runs lose their reasoning with size' : 'No effect of size was found';
  const numbers =
    settled.state === 'not decided' || difference === null
      ? ''
      : ` ${sentence}: the fraction at 25k minus that at 398k is ${withInterval(difference)} (at least ${decimal(LEAST_DIFFERENCE, 1)} with its interval above 0 was needed; n = ${small.reasoned.length} and ${large.reasoned.length} runs; ${tested(h2, settled, draws)}).`;
  return {
    heading: 'H2: with size, fewer runs lose their reasoning',
    outcome: `${ending(settled.state, progress)}${numbers}`,
    claim:
      'after the same tokens, the fraction of runs that lose their reasoning is lower at 398k than at 25k, by .5 or more.',
    figures: anyRun(groups)
      ? {
          'h2-size.svg': {
            svg: losingFigure('H2: runs that lose their reasoning, by size', 'parameters', groups),
            about:
              'Fraction of runs that lose their reasoning at 25k, 100k and 398k, and the ending of every run',
          },
        }
      : {},
    table: losingTable('size', groups),
    hypothesis: 'H2',
  };
}

export function mediationSection(h3: Mediation): Section {
  const { runs, loss, gain, progress } = h3;
  const state = stateOf(h3);
  const sentence =
    state === 'stands'
      ? 'Once d is known, size adds nothing that can be told from 0'
      : 'Size tells something that d does not';
  const numbers =
    state === 'not decided' || loss === null
      ? ''
      : ` ${sentence}: on starts left out of the fit, log size lowers the mean log loss by ${withInterval(gain, (value) => decimal(value, 3))} nats, from ${decimal(loss.reward, 3)} with d alone (n = ${runs.length} runs).`;
  return {
    heading: 'H3: what size does, d already says',
    outcome: `${ending(state, progress)}${numbers}`,
    claim:
      'a logistic regression (ridge 0.1) that predicts losing from d gains nothing by log size; each start is predicted from all others. Runs without reasoning to lose are left out.',
    figures:
      runs.length === 0
        ? {}
        : {
            'h3-gap.svg': {
              svg: gapFigure(runs),
              about: 'Ending of every run of the three sizes against d of its start',
            },
          },
    table:
      loss === null
        ? []
        : table(
            ['inputs', 'mean log loss, nats', 'gain by size'],
            [
              ['d', decimal(loss.reward, 3), ''],
              [
                'd and log size',
                decimal(loss.rewardAndSize, 3),
                withInterval(gain, (value) => decimal(value, 3)),
              ],
            ],
          ),
    hypothesis: 'H3',
  };
}
