/** The whole record of a run: result, settings, and the link that makes it again. */
import type { ListedRun } from '../../../workers/protocol';
import type { RunConfig } from '../../run/config/config';
import { fieldsOf } from '../../run/config/fields';
import { borderOf } from '../../run/config/warm-start';
import type { RunRecord } from '../../run/record/run-record';
import { standingOf } from '../../run/verdict/ending';
import { encodeLink } from '../../share/settings-link';
import { Charts } from '../charts/charts';
import { viewChartRun } from '../charts/lines/curve';
import { linkedOf } from '../link/link';
import { standingWords } from '../runs/kept-runs';
import { stepsTaken, type RunView } from '../session/run-view';
import type { Session } from '../session/session';
import { changedFields } from '../settings/form';
import { CopyButton } from '../ui/copy-button';
import { addressWith } from '../ui/page-address';
import { FieldList } from '../ui/table';
import { useFound } from '../ui/use-found';
import { EvaluationTable } from '../verdict/evaluation-table';
import { VerdictPanel } from '../verdict/verdict-panel';
import { endingWords } from '../words/ending-words';
import { runWords } from '../words/run-words';

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' });

/** @param props.record - record of the view's run */
export function Report({ session, view, record }: { session: Session; view: RunView; record: ListedRun }) {
  const { config, failure, machine, notes } = record;
  const evaluations = view.evaluations.value;
  const standing = standingOf(evaluations);
  const link = useFound(async () => {
    const { config, ...extras } = await linkedOf(session, view);
    return encodeLink(config, extras).then(addressWith, () => '');
  }, [view, record.updatedAt]);
  if (link === null) return null;
  const entry = citation(record, link, standing && endingWords(standing));
  return (
    <article class="report stack">
      <p>
        “{runWords(config)}” is {standingWords(record, session)} at step {record.step} of {config.steps};
        begun on {date.format(record.createdAt)}.{notes === '' ? '' : ` Note: ${notes}`}
        {view.backend === null
          ? ''
          : ` Computed on ${[view.backend.backend, view.backend.adapter].filter((part) => part !== null).join(', ')}${machine.build === undefined ? '' : ` by Marble ${machine.build}`}.`}
      </p>
      {failure === undefined ? null : <p class="fault">Why it failed: {failure}</p>}
      <VerdictPanel {...{ evaluations }} border={borderOf(config)} />
      <Charts runs={[viewChartRun(runWords(config), view)]} />
      <EvaluationTable {...{ evaluations }} />
      <ConfigTable config={config} />
      <section class="panel" aria-labelledby="reproduce">
        <h2 id="reproduce">Make this run again</h2>
        <p>
          {link === ''
            ? 'This version of Marble lacks the model of the run, so it has no link to it.'
            : view.backend === null
              ? 'This link holds the settings and the seed.' // earlier versions opened runs of other programs
              : `This link holds the settings, the seed${stepsTaken(view) === 0 ? '' : ' and the result'}. On the same computer, browser, build and backend (choose ${view.backend.backend} under “Runs on”) it gives the same numbers; elsewhere the same questions in the same order and the same random stream.`}
        </p>
        <p class="words">{link === '' ? null : <a href={link}>{link}</a>}</p>
        <pre class="framed" tabIndex={0} aria-label="Entry for BibTeX">
          {entry}
        </pre>
        <div class="actions">
          <CopyButton words="Copy" what="Entry to copy" copied="Copied." text={() => entry} />
        </div>
      </section>
    </article>
  );
}

/** All settings of a run. */
export function ConfigTable({ config }: { config: RunConfig }) {
  const changed = changedFields(config);
  return (
    <section class="panel" aria-labelledby="all-settings">
      <h2 id="all-settings">Settings</h2>
      <p class="explain">Bold settings differ from the preset, if this page has it.</p>
      <FieldList
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
  const day = new Date(record.createdAt).toISOString().slice(0, 10);
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

const instead: Readonly<Record<string, string>> = { '\\': '/', '{': '(', '}': ')' };

/** Escapes TeX commands, and characters that would end the field. */
function escaped(text: string): string {
  const oneLine = text.replace(/\p{Cc}+/gu, ' ');
  return oneLine.replace(/[#$%&_~^\\{}]/g, (character) => instead[character] ?? `\\${character}`);
}
