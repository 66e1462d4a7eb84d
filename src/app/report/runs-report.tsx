/** Describes the runs of a comparison: settings, builds, backends, seeds, and a link for each arm. */
import { presetOf } from '../../run/config/presets';
import type { RunHistory } from '../../run/record/history';
import type { RunRecord } from '../../run/record/run-record';
import { differingSettings } from '../../share/differing';
import { differences } from '../../run/config/fields';
import { reachWords } from '../ui/address-reach';
import { dayOf, linkTo, noLink } from './citation';
import { rangesOf } from '../ui/numbers';
import { FieldList } from '../ui/table';
import { changesOf, isOfModel, valueWords } from '../words/run-words';
import { useFound } from '../ui/use-found';

export interface ReportedRun {
  history: RunHistory;
  /** Settings that distinguish its arm, in words. */
  arm: string;
}

const mostSeeds = 50;

export function RunsReport({ runs, showsEndings }: { runs: readonly ReportedRun[]; showsEndings: boolean }) {
  const records = runs.map(({ history }) => history.record);
  const ids = records.map(({ id }) => id).join();
  const { columns } = differingSettings(records.map(({ config }) => config));
  const armNames = [...new Set(runs.map(({ arm }) => arm))];
  const linksOfArm = (arm: string) =>
    linksOf(
      arm,
      runs.flatMap((run) => (run.arm === arm ? run.history.record : [])),
    );
  const links = useFound(() => Promise.all(armNames.map(linksOfArm)), [ids])?.flat() ?? [];
  const days = distinct(records.map(dayOf));
  const facts: [name: string, value: string][] = [
    ['runs', `${records.length}, ${records.filter(({ status }) => status === 'done').length} at their end`],
    ['made', distinct([days[0], days[days.length - 1]]).join(' to ')],
    ['by Marble', distinct(records.map(({ machine }) => machine.build)).join(', ')],
    ['computed on', distinct(records.map(({ machine }) => machine.backend?.backend)).join(', ')],
    // The name of a preset reveals the ending.
    [
      'experiments',
      showsEndings
        ? [...new Set(records.map(({ config }) => valueWords('preset', config.preset)))].join(', ')
        : '',
    ],
    ['common to all runs', commonChanges(records, columns)],
    ['seeds', rangesOf(seedsOf(records))],
  ];
  return (
    <section aria-labelledby="what-was-run">
      <h3 id="what-was-run">What was run</h3>
      <FieldList class="fields" fields={facts.filter(([, value]) => value !== '')} />
      {links.every(({ link }) => link === '') ? null : (
        <p class="explain">
          {links.length > 1 ? 'These links make' : 'This link makes'} the runs again, as a sweep over their
          seeds: to the last bit on the same computer, browser, build and backend, elsewhere from the same
          questions and the same random stream.
          {reachWords()}
        </p>
      )}
      <ul class="words">
        {links.map(({ arm, link }) => (
          <li key={`${arm} ${link}`}>
            {armNames.length === 1 ? null : <b>{arm}: </b>}
            {link === '' ? noLink : <a href={link}>{showsEndings ? link : 'The link of these runs'}</a>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Distinct texts in order. A file may hold any value. */
const distinct = (values: readonly unknown[]): string[] =>
  [...new Set(values)].flatMap((text) => (typeof text === 'string' ? [text.slice(0, 60)] : [])).sort();

const seedsOf = (records: readonly RunRecord[]): number[] =>
  [...new Set(records.map(({ config }) => config.seed))].sort((a, b) => a - b);

/** Settings that all runs share and that differ from the preset. */
function commonChanges([{ config }]: readonly RunRecord[], differing: readonly string[]): string {
  const preset = presetOf(config);
  if (differing.includes('preset') || preset === null) return 'see each run';
  // Different models share fields, such as the kind.
  const isModelOwn = differing.some(isOfModel);
  const ofModel = [...differences(config, preset).keys()].filter((path) => isModelOwn && isOfModel(path));
  const changes = changesOf(config, ['seed', ...differing, ...ofModel]);
  return changes.join(', ') || 'the preset’s settings, but for what differs between the runs';
}

/** Links to the sweeps that repeat the runs of an arm. */
function linksOf(arm: string, records: readonly RunRecord[]): Promise<{ arm: string; link: string }[]> {
  const seeds = seedsOf(records);
  const parts = Array.from({ length: Math.ceil(seeds.length / mostSeeds) }, async (_, part) => {
    const seed = seeds.slice(part * mostSeeds, (part + 1) * mostSeeds);
    const config = { ...records[0].config, seed: seed[0] };
    return { arm, link: await linkTo(config, { sweep: { seed } }) };
  });
  return Promise.all(parts);
}
