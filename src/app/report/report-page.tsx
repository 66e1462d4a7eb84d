/** Report of one run, to read. */
import { borderOf } from '../../run/config/warm-start';
import { standingOf } from '../../run/verdict/ending';
import { backendOf } from '../../../workers/protocol';
import { runFingerprint } from '../../share/run-fingerprint';
import { endingWords } from '../words/ending-words';
import { CopyButton } from '../ui/copy-button';
import { addressWith } from '../ui/page-address';
import { encodeLink } from '../../share/settings-link';
import { Charts } from '../charts/charts';
import { keptChartRun } from '../charts/lines/curve';
import { EvaluationTable } from '../verdict/evaluation-table';
import { standingWords } from '../runs/kept-runs';
import type { Page } from '../page/page';
import type { Session } from '../session/session';
import { VerdictPanel } from '../verdict/verdict-panel';
import type { RunConfig } from '../../run/config/config';
import type { RunRecord } from '../../run/record/run-record';
import { fieldsOf } from '../../run/config/fields';
import { presetOf } from '../../run/config/presets';
import { changedFields } from '../settings/form';
import { FieldList } from '../ui/table';
import { useFound } from '../ui/use-found';
import { runWords } from '../words/run-words';

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' });

export function ReportPage({ session, places, id }: Pick<Page, 'session' | 'places'> & { id: string }) {
  // Rereads a running run whenever its record changes.
  const updatedAt = session.runOf(id)?.updatedAt;
  const found = useFound(() => readRun(session, id), [id, updatedAt]);
  if (found === null) return <h1 tabIndex={-1}>Report</h1>;

  const { kept, link } = found;
  const { record, evals } = kept;
  const name = runWords(record.config);
  const backend = backendOf(record);
  const standing = standingOf(evals);
  const entry = citation(record, link, standing && endingWords(standing));
  return (
    <article class="report stack">
      <header class="place-head stack">
        <h1 tabIndex={-1}>Report: {name}</h1>
        <p class="lead">
          The run is {standingWords(session.runOf(id) ?? record, session)} at step {record.step} of{' '}
          {record.config.steps}; begun on {date.format(record.createdAt)}.
          {record.notes === '' ? '' : ` Note: ${record.notes}`}
        </p>
        {backend === null ? null : (
          <p class="facts">
            Computed on {[backend.backend, backend.adapter].filter((part) => part !== null).join(', ')}
            {record.machine.build === undefined ? '' : ` by Marble ${record.machine.build}`}.
          </p>
        )}
        {record.failure === undefined ? null : <p class="fault">Why it failed: {record.failure}</p>}
        <div class="actions">
          <button
            disabled={session.activity.value !== 'idle'}
            onClick={() => void session.open(id).then(() => places.go({ name: 'run' }))}
          >
            Open the run
          </button>
        </div>
      </header>
      <h2 class="visually-hidden">Verdict</h2>
      <VerdictPanel evaluations={evals} border={borderOf(record.config)} />
      <Charts runs={[keptChartRun(name, kept)]} />
      <EvaluationTable evaluations={evals} />
      <ConfigTable config={record.config} />
      <section class="panel" aria-labelledby="reproduce">
        <h2 id="reproduce">Make this run again</h2>
        <p>
          {link === ''
            ? 'This version of Marble lacks the model of the run, so it has no link to it.'
            : backend === null
              ? 'This link holds the settings and the seed.' // earlier versions opened runs of other programs
              : `This link holds the settings, the seed${kept.steps.length === 0 ? '' : ' and the result'}. On the same computer, browser, build and backend (choose ${backend.backend} under “Runs on”) it gives the same numbers; elsewhere the same questions in the same order and the same random stream.`}
        </p>
        <p class="words">{link === '' ? null : <a href={link}>{link}</a>}</p>
        <div class="citation stack">
          <pre class="framed" tabIndex={0} aria-label="Entry for BibTeX">
            {entry}
          </pre>
          <div class="actions">
            <CopyButton words="Copy" what="Entry to copy" copied="Copied." text={() => entry} />
          </div>
        </div>
      </section>
    </article>
  );
}

async function readRun(session: Session, id: string) {
  const kept = await session.history(id);
  if (kept === null) return null;
  const extras = {
    backend: backendOf(kept.record)?.backend,
    fingerprint: runFingerprint(kept.steps) ?? undefined,
  };
  return { kept, link: await encodeLink(kept.record.config, extras).then(addressWith, () => '') };
}

/** All settings of a run. */
export function ConfigTable({ config }: { config: RunConfig }) {
  const changed = changedFields(config);
  return (
    <section class="panel" aria-labelledby="all-settings">
      <h2 id="all-settings">Settings</h2>
      <p class="explain">
        {presetOf(config) === null
          ? 'This page has no preset of this name to compare them with.'
          : changed.size === 0
            ? 'All as in the preset.'
            : 'What differs from the preset is in bold.'}
      </p>
      <FieldList
        class="fields"
        fields={[...new Map([...fieldsOf(config), ...changed])].map(([path, value]) => [
          path,
          changed.has(path) ? <b>{value || 'none'}</b> : value,
        ])}
      />
    </section>
  );
}

/**
 * BibTeX entry of a run: version, settings, and the link that reproduces it.
 *
 * @param link - to the run's settings, seed and backend; empty without one
 * @param ending - ending of the verdict; null without one
 */
export function citation(record: RunRecord, link: string, ending: string | null): string {
  const { config, step, machine } = record;
  const { build, backend } = machine;
  const day = dayOf(record);
  const facts = [
    `Run of ${day}: ${runWords(config)}`,
    `${step} of ${config.steps} steps`,
    ...(backend === undefined ? [] : [`on ${backend.backend}`]),
    ...(ending === null ? [] : [`verdict: ${ending}`]),
  ];
  const fields = {
    author: '{Marble contributors}',
    title: '{Marble}: reinforcement learning for small language models in a browser tab',
    version: escaped(build ?? ''),
    year: day.slice(0, 4),
    url: link,
    note: escaped(facts.join('; ')),
  };
  const known = Object.entries(fields).filter(([, value]) => value !== '');
  const lines = known.map(([name, value]) => `  ${name} = {${value}},`);
  return [`@software{marble-${day}-seed-${config.seed},`, ...lines, '}'].join('\n');
}

const dayOf = ({ createdAt }: RunRecord): string => new Date(createdAt).toISOString().slice(0, 10);

const instead: Readonly<Record<string, string>> = { '\\': '/', '{': '(', '}': ')' };

/** Escapes TeX commands, and characters that would end the field. */
function escaped(text: string): string {
  const oneLine = text.replace(/\p{Cc}+/gu, ' ');
  return oneLine.replace(/[#$%&_~^\\{}]/g, (character) => instead[character] ?? `\\${character}`);
}
