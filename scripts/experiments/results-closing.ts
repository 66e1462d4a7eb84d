/** The end of the results page: what differs from the rules, what failed, and every run. */
import { decimal, percent, points, table, withInterval } from './format';
import type { DropLine, FailureLine } from './lines';
import { endingName, madeOf, type JudgedRun, type Study } from './study';

export function closing(
  study: Study,
  { failures, drops }: { failures: readonly FailureLine[]; drops: readonly DropLine[] },
): string[] {
  const runs = madeOf(study, study.planned);
  return [
    ...differences(runs),
    ...readings,
    ...failuresAndDrops(study, failures, drops),
    '## Every run',
    '',
    ...(runs.length === 0
      ? ['None is made yet.']
      : [
          'Greedy, before → after, except the sampled accuracy, whose paired change stands with its 95 % interval. n = 2,000 items a run; the bounds that the verdict rests on are one-sided at 95 %.',
          '',
          ...table(
            ['run', 'verdict', 'think tokens', 'F', 'R', 'W', 'sampled accuracy %', 'change, points'],
            runs.map(row),
          ),
          '',
          cost(runs),
        ]),
  ];
}

function row(run: JudgedRun): string[] {
  const { plan, verdict, sampled, gain } = run;
  const { length, faithful, right, wrong } = verdict;
  const pair = (mean: { before: number; now: number } | null): string =>
    mean === null ? '–' : `${decimal(mean.before)} → ${decimal(mean.now)}`;
  return [
    plan.id,
    endingName(run),
    `${length.before.toFixed(1)} → ${length.now.toFixed(1)}`,
    pair(faithful),
    pair(right),
    pair(wrong),
    `${percent(sampled.before)} → ${percent(sampled.after)}`,
    withInterval(gain, points),
  ];
}

function cost(runs: readonly JudgedRun[]): string {
  const hours = (of: (run: JudgedRun) => number): string =>
    (runs.reduce((sum, run) => sum + of(run), 0) / 3600).toFixed(2);
  return `These ${runs.length} runs took ${hours(({ line: { seconds } }) => seconds.all + (seconds.pretraining ?? 0))} core-hours, one process on one core each: ${hours(({ line }) => line.seconds.pretraining ?? 0)} of pretraining, ${hours(({ line }) => line.seconds.training)} of RL, the rest measuring.`;
}

/** The registered ending `reasons better`, from the bounds of the verdict. */
export function reasonsBetterAsRegistered({
  verdict: { belief, faithful, wrong, ending },
}: JudgedRun): boolean {
  return (
    ending !== 'collapsed' &&
    ending !== 'decorated' &&
    belief.change.low > 0 &&
    faithful !== null &&
    faithful.change.high >= 0 &&
    wrong !== null &&
    wrong.change.high >= 0
  );
}

function differences(runs: readonly JudgedRun[]): string[] {
  const byCode = runs.filter(({ verdict }) => verdict.ending === 'reasons better').length;
  const registered = runs.filter(reasonsBetterAsRegistered).length;
  return [
    '## What differs from the rules',
    '',
    '- 2026-11-21: the code’s `reasons better` asks for more than the registered rule. Registered: neither F nor W is surely lower (upper bound of the change not below 0). In the code: F and W are surely not lower by 3 points (lower bound above −3), and F now has a lower bound of at least .2. ' +
      `No hypothesis uses this ending. Of the ${runs.length} runs, ${byCode} have it by the code and ${registered} by the registered rule.`,
    '',
  ];
}

const readings = [
  '## How the rules were read',
  '',
  'Where the rules can be read in two ways, this page takes:',
  '',
  '- A hypothesis stands when its rule holds and its p, corrected by Holm, is at most .05; a p that is not there yet counts as 1 in the correction.',
  '- All runs are measured on the same items, so a draw has one set of items for all its runs. That makes intervals wider than drawing items for each run apart.',
  '- H1 (a): "R rises, W falls below half, accuracy rises by 15 points or more" are of the figures as measured, "interval above 0" of the paired change of sampled accuracy.',
  '- Runs that had no reasoning to lose (C0 fails) are left out of H2, H3, H4 and the forecast, before starts are drawn.',
  '- H3: the ridge penalises half the squared weights in the summed log loss, not the intercept; the bootstrap draws starts of the held-out losses without fitting anew.',
  '- H5 as a whole stands when its tested arm, the de-biased benchmark, prevents, and the length penalty shortens sooner. A run whose think length never halves counts one step more than it has.',
  '- H6 stands on negative transfer. Order 4 and the looks keep counts alone, whose items are drawn again by the normal approximation of the binomial.',
  '- The forecast is judged on RL runs; the SFT control, which no reward trains, and the runs without reasoning to lose are added in rows of their own.',
  '',
];

function failuresAndDrops(
  study: Study,
  failures: readonly FailureLine[],
  drops: readonly DropLine[],
): string[] {
  return [
    '## Failures and drops',
    '',
    failures.length === 0
      ? 'No run failed.'
      : `${failures.length} ${failures.length === 1 ? 'attempt' : 'attempts'} failed:`,
    '',
    ...(failures.length === 0
      ? []
      : [
          ...table(
            ['run', 'date', 'exit', 'message', 'made since'],
            failures.map(({ id, date, code, complaint }) => [
              id,
              date.slice(0, 10),
              String(code ?? 'killed'),
              messageOf(complaint),
              study.made.has(id) ? 'yes' : 'no',
            ]),
          ),
          '',
        ]),
    drops.length === 0 ? 'No planned run was dropped.' : 'Dropped:',
    '',
    ...(drops.length === 0
      ? []
      : [
          ...table(
            ['run', 'date', 'why'],
            drops.map(({ id, date, why }) => [id, date.slice(0, 10), why]),
          ),
          '',
        ]),
  ];
}

/** The line that names the error, without folders and what would break a table. */
function messageOf(complaint: string): string {
  const lines = complaint.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((candidate) => /\w*Error\b|: /.test(candidate)) ?? lines.at(-1) ?? '–';
  return line
    .trim()
    .replaceAll(/\/\S*\/(\S+)/g, '$1')
    .replaceAll('|', '/')
    .slice(0, 120);
}
