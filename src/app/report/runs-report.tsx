/** What a report of several runs says beside their comparison: what was run, by what, and how to cite it. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { endings, standingOf } from '../../run/ending';
import type { Evaluation } from '../../run/evaluation';
import { presets } from '../../run/presets';
import type { RunRecord } from '../../run/run-record';
import { differingSettings } from '../../share/differing';
import { differences } from '../../share/fields';
import { encodeLink } from '../../share/link';
import { citationOfRuns, madeBy, rangesOf } from '../end/citation';
import { Citation } from '../end/citation-text';
import { verdictsOf } from '../ending-words';
import { armName } from '../sweeps/words';

export interface ReportedRun {
  record: RunRecord;
  evals: readonly Evaluation[];
}

/** A link holds no more seeds. */
const mostSeeds = 50;

export function RunsReport({ runs, showsEndings }: { runs: readonly ReportedRun[]; showsEndings: boolean }) {
  const records = runs.map(({ record }) => record);
  const ids = records.map(({ id }) => id).join();
  const { arms, columns } = differingSettings(records.map(({ config }) => config));
  const armNames = [...new Set(arms)];
  const links = useSignal<readonly string[]>([]);
  useEffect(() => {
    void Promise.all(armNames.map((arm) => linkOf(records.filter((_, index) => arms[index] === arm)))).then(
      (found) => (links.value = found),
    );
  }, [ids]);
  const { days, builds, backends } = madeBy(records);
  const seeds = [...new Set(records.map(({ config }) => config.seed))].sort((a, b) => a - b);
  const facts: [name: string, value: string][] = [
    ['runs', `${records.length}, ${records.filter(({ status }) => status === 'done').length} at their end`],
    ['made', days.join(' to ')],
    ['by Marble', builds.join(', ') || 'unknown'],
    ['computed on', backends.join(', ') || 'unknown'],
    ['presets', [...new Set(records.map(({ config }) => config.preset))].join(', ')],
    ['changed in all', commonChanges(records, columns)],
    ['seeds', rangesOf(seeds)],
  ];
  return (
    <section aria-labelledby="what-was-run">
      <h3 id="what-was-run">What was run</h3>
      <dl class="fields">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p class="explain">
        {armNames.length === 1 ? 'This link makes' : 'These links make'} the runs again, as a sweep over their
        seeds: to the last bit on the same computer, browser, build and backend, elsewhere from the same
        questions and the same random stream.
      </p>
      <ul class="words">
        {links.value.map((link, index) => (
          <li key={armNames[index]}>
            {armNames.length === 1 ? null : <b>{armName(armNames[index])}: </b>}
            <a href={link}>{link}</a>
          </li>
        ))}
      </ul>
      <h3>Cite</h3>
      <Citation
        text={citationOfRuns(
          records,
          armNames.map(armName),
          links.value.at(0) ?? '',
          showsEndings ? endingCounts(runs) : null,
        )}
      />
    </section>
  );
}

/** Settings that all runs have and their preset has not. */
function commonChanges(records: readonly RunRecord[], differing: readonly string[]): string {
  const [{ config }] = records;
  if (differing.includes('preset') || !Object.hasOwn(presets, config.preset)) return 'see each run';
  const changed = [...differences(config, presets[config.preset])].filter(
    ([path]) => path !== 'seed' && !differing.includes(path),
  );
  return changed.map(([path, value]) => `${path} ${value}`).join(', ') || 'nothing';
}

async function linkOf(records: readonly RunRecord[]): Promise<string> {
  const [{ config }] = records;
  const seeds = [...new Set(records.map((record) => record.config.seed))].sort((a, b) => a - b);
  const address = new URL(location.href);
  const seed = seeds.slice(0, mostSeeds);
  address.hash = Object.hasOwn(presets, config.preset)
    ? await encodeLink({ ...config, seed: seed[0] }, presets, { sweep: { seed } })
    : '';
  return address.href;
}

function endingCounts(runs: readonly ReportedRun[]): string[] {
  const ended = runs.filter(({ record }) => record.status === 'done');
  const found = ended.map(({ evals }) => standingOf(verdictsOf(evals))?.ending);
  return endings.map((ending) => `${ending} ${found.filter((other) => other === ending).length}`);
}
