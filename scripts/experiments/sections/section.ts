/** What one hypothesis gives to docs/results.md, and the words that several of them share. */
import { decimal, pValue, table, withInterval } from '../format';
import { corrected, type Finding, type Settled, type State } from '../hypotheses/finding';
import type { LosingGroup } from '../hypotheses/losing';
import { endingName, type EndingName, type Progress } from '../study';

/** What one hypothesis gives to the page. */
export interface Section {
  heading: string;
  /** The ending and what decided it; also said at the top. */
  outcome: string;
  claim: string;
  figures: Record<string, { svg: string; about: string }>;
  table: string[];
  /** Whose runs the commands beneath make; or the commands themselves. */
  hypothesis: string | readonly string[];
}

/** `**stands.** ` or the count of runs that are there. */
export function ending(state: State, progress: Progress): string {
  if (state !== 'not decided') return `**${state}.**`;
  const dropped = progress.dropped === 0 ? '' : `, ${progress.dropped} dropped`;
  return `**not decided yet: ${progress.made} of ${progress.planned} runs made${dropped}.**`;
}

export function tested({ p }: Finding, { adjusted }: Settled, draws: number): string {
  return p === null || adjusted === null
    ? ''
    : `${pValue(p, draws)}, by Holm ${pValue(adjusted, draws / corrected.length).slice(2)}`;
}

export function arrow(mean: { before: number; now: number } | null): string {
  return mean === null ? '–' : `${decimal(mean.before)} → ${decimal(mean.now)}`;
}

export function losingTable(name: string, groups: readonly LosingGroup[]): string[] {
  if (groups.every(({ runs }) => runs.length === 0)) return [];
  const count = ({ runs }: LosingGroup, wanted: EndingName): string =>
    String(runs.filter((run) => endingName(run) === wanted).length);
  return table(
    [
      name,
      'runs',
      'collapsed',
      'decorated',
      'reasons better',
      'undetermined',
      'no reasoning to lose',
      'fraction that loses it',
    ],
    groups.map((group) => [
      group.name,
      String(group.runs.length),
      count(group, 'collapsed'),
      count(group, 'decorated'),
      count(group, 'reasons better'),
      count(group, 'undetermined'),
      count(group, 'no reasoning to lose'),
      `${withInterval(group.fraction)}${group.fraction === null ? '' : `, n = ${group.reasoned.length}`}`,
    ]),
  );
}

export const anyRun = (groups: readonly LosingGroup[]): boolean => groups.some(({ runs }) => runs.length > 0);

export const yesNo = (value: boolean | null): string => (value === null ? '–' : value ? 'yes' : 'no');
