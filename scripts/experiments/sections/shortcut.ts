/** H4 on docs/results.md. */
import { losingFigure } from '../figures/losing';
import { decimal, withInterval } from '../format';
import type { Settled } from '../hypotheses/finding';
import type { ShortcutEffect } from '../hypotheses/shortcut';
import { type Section, ending, tested, losingTable, anyRun } from './section';

export function shortcutSection(h4: ShortcutEffect, settled: Settled, draws: number): Section {
  const { groups, differences, pooled, progress } = h4;
  const sentence =
    settled.state === 'stands'
      ? 'With a weaker shortcut fewer runs lose their reasoning'
      : 'No effect of the strength of the shortcut was found';
  const numbers =
    settled.state === 'not decided'
      ? ''
      : ` ${sentence}: against S = .90 the fraction is lower by ${decimal(differences['.70'])} at .70 and by ${decimal(differences['.56'])} at .56, pooled ${withInterval(pooled)} (n = ${groups.map(({ reasoned }) => reasoned.length).join(', ')} runs, paired by start; ${tested(h4, settled, draws)}).`;
  return {
    heading: 'H4: a weaker shortcut takes less',
    outcome: `${ending(settled.state, progress)}${numbers}`,
    claim:
      'at 25k, fewer runs lose their reasoning where the shortcut is right on .70 and on .56 of the training items than where it is right on .90.',
    figures: anyRun(groups)
      ? {
          'h4-shortcut.svg': {
            svg: losingFigure(
              'H4: runs that lose their reasoning, by shortcut',
              'the shortcut is right on',
              groups,
            ),
            about: 'Fraction of runs that lose their reasoning at three strengths of the shortcut',
          },
        }
      : {},
    table: losingTable('shortcut', groups),
    hypothesis: 'H4',
  };
}
