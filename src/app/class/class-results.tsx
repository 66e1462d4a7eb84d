/** Compares the runs of a class in a table, a tally of endings and charts. Stores and sends nothing. */
import { signal, useSignal, type Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { toErrorReport } from '../../base/error';
import type { RunConfig } from '../../run/config/config';
import { summarise } from '../../run/record/summary';
import { sweepCsv } from '../../share/sweep-csv';
import { Charts } from '../charts/charts';
import { keptChartRun } from '../charts/lines/chart-lines';
import type { PlaceStore } from '../page/page';
import type { Places } from '../page/place';
import type { RunsStore } from '../page/runs-store';
import { RunsReport } from '../report/runs-report';
import { RunsTable } from '../runs/runs-table';
import { DeleteButton } from '../ui/delete-button';
import { counted } from '../ui/numbers';
import { ChooseFiles, saveFile } from '../ui/files';
import { ArmsTable } from '../sweeps/arms-table';
import { armName } from '../words/arms';
import { Remarks, Tally, type ClassRow } from './class-remarks';
import { classSettings } from './class-settings';
import { filesLeft, left, nothingRead, results, seats, sorting } from './class-state';
import {
  codesIn,
  isCode,
  isRepeated,
  looksLikeCode,
  oneByOne,
  readRuns,
  sentWords,
  studentNames,
  type ClassRun,
  type ReadRuns,
  type RefusedFile,
} from './read-runs';
import { againWords } from './who-is-in';

/** Number of table rows that fit on a typical screen. */
const mostInSight = 8;

/** Sorts student 2 before student 10. */
const byStudent = new Intl.Collator(undefined, { numeric: true });

/** Reads batches of files one after another. Each batch is appended to the earlier results. */
const readNext = oneByOne((files: readonly File[]) =>
  readRuns(
    files,
    results.value,
    (now) => (results.value = now),
    undefined,
    () => (filesLeft.value -= 1),
  ),
);

/** Message about text that could not be read as a code; empty if there is none. */
const passedOver = signal('');

/** Clears the messages about earlier texts and files. */
function forgetFaults(): void {
  passedOver.value = '';
  if (results.value.refused.length > 0) results.value = { ...results.value, refused: [] };
}

/**
 * Returns the codes of a text as files, or null for a text that is too long or has too many codes. Sets `passedOver`
 * for lines that look like incomplete codes.
 */
async function codesOf(text: string): Promise<{ files: File[]; hasWhole: boolean } | null> {
  const { findCodes } = await import('../../share/result-code');
  const found = await findCodes(text).catch((thrown: unknown) => toErrorReport(thrown).message);
  if (typeof found === 'string') {
    passedOver.value = found;
    return null;
  }
  const { files, others } = codesIn(text, found);
  const parts = others.filter(looksLikeCode);
  passedOver.value = parts.length === 0 ? '' : `Without a whole code: “${parts.join('”, “').slice(0, 120)}”.`;
  return { files, hasWhole: found.some(({ isWhole }) => isWhole) };
}

/** Extracts the codes of a text file, as from pasted text. Returns any other file unchanged. */
async function filesIn(file: File): Promise<File[]> {
  const { mostText } = await import('../../share/result-code');
  if (!/\.txt$/i.test(file.name) || file.size > mostText) return [file];
  const { files = [] } = (await codesOf(await file.text())) ?? {};
  return files.length > 0 ? files : [file];
}

async function takeFiles(given: readonly File[]): Promise<void> {
  forgetFaults();
  await take((await Promise.all(given.map(filesIn))).flat());
}

async function take(files: readonly File[]): Promise<void> {
  filesLeft.value += files.length;
  await readNext(files);
}

export interface ClassProps {
  /** Settings of the form, which a class link may hold too. */
  draft: Signal<RunConfig>;
  runs: RunsStore;
  places: Places;
  droppedRuns: PlaceStore['droppedRuns'];
  isEndingHidden: boolean;
}

export function ClassResults(props: ClassProps) {
  const { droppedRuns } = props;
  const dropped = droppedRuns.value;
  useEffect(() => {
    if (dropped.length === 0 || filesLeft.value > 0) return;
    droppedRuns.value = [];
    void takeFiles(dropped);
  }, [dropped]);
  const { runs, refused } = results.value;
  const again = againWords(refused);
  return (
    <section class="panel" aria-labelledby="class-results">
      <h2 id="class-results" class="on-screen">
        Read the results
      </h2>
      <p class="on-screen">
        <ChooseFiles
          words="Choose the run files of the class …"
          accept=".marble,.txt"
          onFiles={(files) => void takeFiles(files)}
        />
      </p>
      <PastedCodes />
      <p role="status" class="on-screen">
        {filesLeft.value > 0
          ? `Reading: ${filesLeft.value} to go.`
          : runs.length === 0
            ? 'Choose all run files at once, or drop them anywhere on this page; or paste the codes that came in their place.'
            : `${counted(runs.length, 'run')} read.${again === '' ? '' : ` ${again}`} Runs stay as long as this tab: go to other parts of the page and come back, but close it and only the files and codes remain.`}
      </p>
      {refused.length === 0 ? null : <NotTaken read={results.value} />}
      {runs.length === 0 ? null : <Compared {...props} read={runs} />}
    </section>
  );
}

/** Input for result codes, which students may send instead of files. Other text around the codes is allowed. */
function PastedCodes() {
  const text = useSignal('');
  const read = async (): Promise<void> => {
    const given = text.value;
    forgetFaults();
    const codes = await codesOf(given);
    if (codes === null) return;
    const { files, hasWhole } = codes;
    if (files.length === 0) {
      passedOver.value = looksLikeCode(given)
        ? 'There is no whole result code in this text. One begins with M1.: its beginning seems to be missing.'
        : 'There is no whole result code in this text: one begins with M1.';
      return;
    }
    // A text without a complete code stays in the field, for correction.
    if (hasWhole && text.value === given) text.value = '';
    await take(files);
  };
  return (
    <form
      class="codes on-screen"
      onSubmit={(event) => {
        event.preventDefault();
        void read();
      }}
    >
      <label class="field">
        <span>Result codes</span>
        <textarea
          rows={2}
          value={text.value}
          placeholder="M1.…"
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={text.value.trim() === ''}>
        Read the codes
      </button>
      <span role="status">{passedOver}</span>
    </form>
  );
}

/** Lists refused files. Copies lose no data, so they are only counted and folded. */
function NotTaken({ read }: { read: ReadRuns }) {
  const { runs, refused } = read;
  const copies = refused.filter(({ isCopy }) => isCopy);
  const broken = refused.filter(({ isCopy }) => !isCopy);
  const items = (files: readonly RefusedFile[]) =>
    files.map(({ name, why }, index) => (
      <li key={index}>
        <b>{name}</b>: {why}
      </li>
    ));
  return (
    <>
      {broken.length === 0 ? null : (
        <ul class="fault on-screen" aria-label="Files that were not taken">
          {items(broken)}
        </ul>
      )}
      {copies.length === 0 ? null : (
        <details class="on-screen">
          <summary>
            {sentWords(read)}: {counted(runs.length, 'run')}, {copies.length}{' '}
            {copies.length === 1 ? 'copy' : 'copies'}
            {broken.length === 0 ? '' : `, ${broken.length} not taken`}
          </summary>
          <ul class="facts" aria-label="Copies">
            {items(copies)}
          </ul>
        </details>
      )}
    </>
  );
}

/** Rows of the table, sorted by student, with each run's differences from its seat's settings. */
function rowsOf(given: readonly ClassRun[]): ClassRow[] {
  const runs = given.toSorted((one, other) => byStudent.compare(one.student, other.student));
  const names = studentNames(runs);
  const settings = classSettings(runs);
  const repeated = isRepeated(runs);
  return runs.map((run, index): ClassRow => {
    const hasEnded = run.history.record.status === 'done';
    return {
      ...run,
      name: names[index],
      ...settings[index],
      isRepeated: repeated[index],
      hasEnded,
      counts: hasEnded && !repeated[index],
    };
  });
}

function Compared({ runs, places, isEndingHidden, read }: ClassProps & { read: readonly ClassRun[] }) {
  const { session, ofClass } = runs;
  const showsEndings = !isEndingHidden;
  const article = useRef<HTMLElement>(null);
  const rows = rowsOf(read);
  useReturn(article);
  const counting = rows.filter(({ counts }) => counts);
  const drawn = counting.length > 0 ? counting : rows;
  const runsRead = counted(rows.length, 'run');
  const save = (): void => {
    const lines = rows.map(({ name, arm, history }) => {
      const { config, id, status } = history.record;
      return { student: name, arm: armName(arm), config, id, status, summary: summarise(history) };
    });
    saveFile('marble-class.csv', new Blob([sweepCsv(lines)], { type: 'text/csv' }));
  };
  const open = async ({ file, student }: ClassRun, button: HTMLElement): Promise<void> => {
    leave(article.current, button);
    const id = await session.openRunFile(file);
    if (id === null) {
      left.value = null;
      return;
    }
    ofClass.value = { id, student };
    places.go({ name: 'run' });
  };
  return (
    <article class="compared stack" ref={article}>
      <div class="actions on-screen">
        <button type="button" onClick={save}>
          Save as CSV
        </button>
        <DeleteButton
          verb={`Clear ${runsRead}`}
          name="of the class"
          disabled={filesLeft.value > 0}
          onDelete={() => (results.value = nothingRead)}
        />
        <label class="given-seats">
          Numbers given out: 1 to{' '}
          <input
            type="text"
            inputMode="numeric"
            size={4}
            value={seats.value}
            onInput={(event) => (seats.value = event.currentTarget.value.trim())}
          />
        </label>
      </div>
      <Remarks rows={rows} seats={Number(seats.value)} />
      {showsEndings && counting.length > 0 ? <Tally rows={counting} /> : null}
      {counting.length > 0 ? (
        <ArmsTable runs={counting} showsEndings={showsEndings} />
      ) : (
        <p class="explain">No run has come to its end: there is no mean to take.</p>
      )}
      <Charts
        runs={drawn.map(({ name, arm, history }) => ({ ...keptChartRun(name, history), arm: armName(arm) }))}
        marksEnding={showsEndings}
      />
      <h3>All runs</h3>
      {rows.length > mostInSight ? (
        <p class="explain on-screen">{rows.length} runs: scroll within the table to see all of them.</p>
      ) : null}
      <div class="beside-charts">
        <RunsTable
          label="Runs of the class"
          heading="student"
          showsEndings={showsEndings}
          sorting={sorting}
          rows={rows.map((row) => ({
            key: row.history.record.id,
            name: row.name,
            config: row.history.record.config,
            run: row.history,
            remark: row.isRepeated ? 'made twice, does not count' : row.others || undefined,
            actions: isCode(row) ? (
              'code'
            ) : (
              <button
                type="button"
                disabled={session.activity.value !== 'idle'}
                data-run={row.history.record.id}
                onClick={(event) => void open(row, event.currentTarget)}
              >
                Open<span class="visually-hidden"> the run of {row.name}</span>
              </button>
            ),
          }))}
        />
      </div>
      <p class="explain">
        Small figures are 90 % intervals over the questions of that run, the ones its verdict goes by; under
        “start → end” that of the change, in points. “Since the test at step 20”: that test and all after it
        say so; a code holds the last test alone.{' '}
        <span class="on-screen">
          Point at a row, or go to its button, and its curve lies over the others in the charts; a heading
          sorts by its column. “Open” keeps the run in this browser.
        </span>
      </p>
      <RunsReport
        runs={rows.filter(({ isRepeated: again }) => !again).map(({ history, arm }) => ({ ...history, arm }))}
        showsEndings={showsEndings}
      />
    </article>
  );
}

const tableIn = (article: HTMLElement | null) => article?.querySelector('.beside-charts .scroll') ?? null;

/** Stores the position of the table when a button opens a run. */
function leave(article: HTMLElement | null, button: HTMLElement): void {
  const table = tableIn(article);
  left.value = {
    run: button.dataset.run ?? '',
    top: button.getBoundingClientRect().top,
    table: { left: table?.scrollLeft ?? 0, top: table?.scrollTop ?? 0 },
  };
}

/** Restores the position of the table after a visit to a run, and focuses the button of that run. */
function useReturn(article: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const from = left.value;
    if (from === null) return;
    left.value = null;
    // Waits a frame, since every place first moves to its heading.
    const frame = requestAnimationFrame(() => {
      tableIn(article.current)?.scrollTo(from.table);
      const button = article.current?.querySelector<HTMLElement>(`[data-run="${CSS.escape(from.run)}"]`);
      if (button == null) return;
      button.focus({ preventScroll: true });
      scrollBy(0, button.getBoundingClientRect().top - from.top);
    });
    return () => cancelAnimationFrame(frame);
  }, []);
}
