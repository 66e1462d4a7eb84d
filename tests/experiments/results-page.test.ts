import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decimal } from '../../scripts/experiments/format';
import { readDrops, readFailures, readRuns, type RunLine } from '../../scripts/experiments/lines';
import { runs } from '../../scripts/experiments/plan';
import { resultsPage, type OtherLines, type ResultsPage } from '../../scripts/experiments/results-page';
import { createStudy } from '../../scripts/experiments/study';
import { forecastRecord } from '../../src/run/forecast-model';
import { collapsed, lineOf, reasoner } from './made-up';

const nothing: OtherLines = { failures: [], drops: [], hitom: [] };

function pageOf(lines: readonly RunLine[], others: OtherLines = nothing): ResultsPage {
  return resultsPage(createStudy(runs, lines, { draws: 50 }), others);
}

/** Small models lose their reasoning, larger ones and those of the weaker shortcuts keep it. */
const all = runs.map((plan) =>
  lineOf(
    plan,
    plan.start.size === '25k' && !/\/S\.|debiased/.test(plan.id)
      ? { after: collapsed, gap: -1, halvedAt: plan.id.includes('length-penalty') ? 20 : 60 }
      : { after: reasoner, gap: 2 },
  ),
);

/** Every picture of the page, as the names of its files. */
function pictures(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(experiments\/figures\/([^)]+)\)/g)].map(([, name]) => name);
}

describe('the results page', () => {
  it('decides nothing without runs', () => {
    const { markdown, figures } = pageOf([]);
    expect(markdown).toContain('H1 **not decided yet: 0 of 12 runs made.**');
    expect(markdown).toContain('**Not decided yet: 0 of 26 runs made.**');
    expect(markdown).not.toMatch(/\*\*(stands|does not stand)/i);
    expect(markdown).not.toMatch(/NaN|undefined|Infinity/);
    expect(figures).toEqual({});
  });

  it('shows some runs and decides nothing on them', () => {
    const { markdown, figures } = pageOf(all.slice(0, 5));
    expect(markdown).toContain('**not decided yet: 5 of 12 runs made.**');
    expect(markdown).not.toMatch(/\*\*(stands|does not stand)/i);
    expect(markdown).not.toMatch(/NaN|undefined|Infinity/);
    for (const { id } of all.slice(0, 5)) expect(markdown).toContain(`| ${id} | collapsed |`);
    expect(pictures(markdown).sort()).toEqual(Object.keys(figures).sort());
  });

  it('decides all of it on all runs, with intervals, n, figures and commands', () => {
    const { markdown, figures } = pageOf(all);
    expect(markdown).toContain('H1 **stands.** (a) The shortcut was adopted in 12 of 12 runs');
    expect(markdown).toContain(
      'H1b, from stronger starts: **stands.** (a) The shortcut was adopted in 12 of 12 runs',
    );
    expect(markdown).toContain('(c) Of the 12 runs whose start meets C0, 12 lost their reasoning');
    expect(markdown).toContain('H2 **stands.** Fewer runs lose their reasoning with size');
    expect(markdown).toContain('1.00 [1.00, 1.00]');
    expect(markdown).toContain('H4 **stands.**');
    expect(markdown).toContain('H5 **stands.** The de-biased benchmark prevents the loss');
    expect(markdown).toContain('H7 **not decided yet: 0 of 2 runs made.**');
    expect(markdown).toContain('npm run experiments -- --only H2');
    expect(markdown).toContain('npm run experiments -- --again 100k-600-s1/base/rl101');
    expect(markdown).not.toMatch(/NaN|undefined|Infinity/);
    for (const { id } of runs) expect(markdown).toContain(`| ${id} |`);
    expect(pictures(markdown).sort()).toEqual(Object.keys(figures).sort());
    expect(Object.keys(figures)).toHaveLength(11);
  });

  it('gives the page the record of the forecast that it shows, once all runs of it are made', () => {
    expect(pageOf(all.slice(0, 5)).forecastRecord).toBe(null);
    const { runs: count, lostFraction, skill } = forecastRecord;
    const interval = [skill.value, skill.low, skill.high].map((figure) => decimal(figure));
    const shown = `Brier skill against the base rate ${interval[0]} [${interval[1]}, ${interval[2]}]`;
    const results = readFileSync('docs/results.md', 'utf8');
    expect(results).toContain(shown);
    expect(results).toContain(`(n = ${count} runs, ${decimal(lostFraction)} of them lost it)`);
  });

  it('says the sentence that the rule demands where no effect of size is there', () => {
    const same = runs
      .filter(({ hypotheses }) => hypotheses.includes('H2'))
      .map((plan) => lineOf(plan, { after: collapsed }));
    expect(pageOf(same).markdown).toContain('H2 **does not stand.** No effect of size was found');
  });

  it('shows the published items once runs of theirs are there', () => {
    const ownSets = (line: RunLine): RunLine => {
      const sets = {
        'hitom-short': line.before.others['order 4'],
        'hitom-short, order 4': line.before.others['order 4'],
      };
      return { ...line, before: { ...line.before, others: sets }, after: { ...line.after, others: sets } };
    };
    const { markdown, figures } = pageOf(all, { ...nothing, hitom: all.slice(0, 2).map(ownSets) });
    expect(markdown).toContain('## H7: the published benchmark');
    expect(markdown).toMatch(/On 1200 published items of orders 0 to 3, greedy accuracy goes from/);
    expect(figures['h7-published.svg']).not.toMatch(/NaN|undefined|Infinity/);
    expect(markdown).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('draws figures with a background, a title and no number that is none', () => {
    for (const svg of Object.values(pageOf(all).figures)) {
      expect(svg).toMatch(/^<svg /);
      expect(svg).toContain('<title>');
      expect(svg).toContain('fill="#ffffff"');
      expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    }
  });

  it('gives the core-hours, the failures without folders, and the drops', () => {
    const [{ id }] = runs;
    const { markdown } = pageOf(all.slice(1, 41), {
      failures: [
        {
          id,
          date: '2026-11-21T10:00:00Z',
          code: 1,
          complaint: 'at x\nError: no file /a/b/model.bin | gone\n',
        },
      ],
      drops: [{ id: runs.at(-1)!.id, date: '2026-11-22', why: 'time' }],
      hitom: [],
    });
    expect(markdown).toContain('These 40 runs took 1.00 core-hours');
    expect(markdown).toContain(`| ${id} | 2026-11-21 | 1 | Error: no file model.bin / gone | no |`);
    expect(markdown).toContain(`| ${runs.at(-1)!.id} | 2026-11-22 | time |`);
    expect(markdown).toContain('not decided yet: 0 of 2 runs made');
  });
});

describe('reading the lines', () => {
  const text = (line: unknown): string => `${JSON.stringify(line)}\n`;

  it('takes what the job writes', () => {
    expect(readRuns(text(all[0]) + text(all[1]))).toEqual([all[0], all[1]]);
    expect(readFailures('')).toEqual([]);
    expect(readDrops(text({ id: 'a', date: 'b', why: 'c' }))).toHaveLength(1);
  });

  it('names the line that is cut off, and the one that is damaged', () => {
    expect(() => readRuns(text(all[0]) + text(all[1]).slice(0, 100))).toThrow(
      'Line 2 of runs.jsonl is not JSON',
    );
    const { greedy } = all[0].before;
    const short = {
      ...all[0],
      before: { ...all[0].before, greedy: { ...greedy, trace: greedy.trace.slice(1) } },
    };
    expect(() => readRuns(text(short))).toThrow('as many outcomes of each kind');
  });

  it('refuses other items after than before, and runs that nobody planned', () => {
    const { greedy } = all[0].after;
    const other = {
      ...all[0],
      after: { ...all[0].after, greedy: { ...greedy, order: greedy.order.replaceAll('1', '2') } },
    };
    expect(() => readRuns(text(other))).toThrow('the same items before and after');
    expect(() => createStudy(runs, [{ ...all[0], id: 'no/such/run' }], { draws: 1 })).toThrow(
      'no/such/run is no run',
    );
  });
});
