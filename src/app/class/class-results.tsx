/** The runs of a class in one table, one tally of endings and one set of curves; nothing is kept, nothing is sent. */
import { signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { compareArms, pairArms } from '../../run/sweep/arms';
import { summarise } from '../../run/record/summary';
import { sweepCsv } from '../../share/sweep-csv';
import { Charts } from '../charts/charts';
import type { Page } from '../page';
import { RunsReport } from '../report/runs-report';
import { TakeReport } from '../report/take-report';
import { RunsTable } from '../runs/runs-table';
import { DeleteButton } from '../ui/delete-button';
import { counted } from '../ui/numbers';
import { saveFile } from '../ui/save-file';
import { hidesEnding } from '../shell/hiding';
import { ArmsTable } from '../sweeps/arms-table';
import { armName } from '../sweeps/words';
import { Remarks, Tally } from './class-remarks';
import { classSettings } from './class-settings';
import { filesLeft, left, nothingRead, results, seats, sorting } from './class-state';
import {
  codesIn,
  isCode,
  isRepeated,
  oneByOne,
  readRuns,
  studentNames,
  type ClassRun,
  type RefusedFile,
} from './read-runs';

/** Rows that the table of all runs shows at once on a usual screen, at most. */
const mostInSight = 8;

/** Student 2 before student 10. */
const byStudent = new Intl.Collator(undefined, { numeric: true });

/** Each batch is read behind what those before it have read. */
const readNext = oneByOne((files: readonly File[]) =>
  readRuns(files, results.value, (now) => {
    results.value = now;
    filesLeft.value -= 1;
  }),
);

/** What of a text is no code; empty where all was read. */
const passedOver = signal('');

/** Bytes of the codes of some thousand students. */
const mostText = 4e6;

/** A text file is read as a text that is pasted: it may hold the codes of many. */
async function filesIn(file: File): Promise<File[]> {
  if (!/\.txt$/i.test(file.name) || file.size > mostText) return [file];
  const [{ codePattern }, text] = await Promise.all([import('../../share/result-code'), file.text()]);
  const { files, others } = codesIn(text, codePattern);
  passedOver.value =
    others.length === 0 ? '' : `Without a whole code: “${others.join('”, “').slice(0, 120)}”.`;
  return files.length > 0 ? files : [file];
}

async function take(given: readonly File[]): Promise<void> {
  const files = (await Promise.all(given.map(filesIn))).flat();
  filesLeft.value += files.length;
  await readNext(files);
}

export function ClassResults({ page }: { page: Page }) {
  const { session, places, droppedRuns } = page;
  const dropped = droppedRuns.value;
  useEffect(() => {
    if (dropped.length === 0 || filesLeft.value > 0) return;
    droppedRuns.value = [];
    void take(dropped);
  }, [dropped]);
  const { runs, refused } = results.value;
  const open = async ({ file, student }: ClassRun): Promise<void> => {
    const id = await session.openRunFile(file);
    if (id === null) {
      left.value = null;
      return;
    }
    page.ofClass.value = { id, student };
    places.go({ name: 'run' });
  };
  return (
    <section class="panel" aria-labelledby="class-results">
      <h2 id="class-results">Read the results</h2>
      <label class="field on-screen">
        <span>Run files of the class</span>
        <input
          type="file"
          multiple
          accept=".marble,.txt"
          onChange={(event) => {
            const files = [...(event.currentTarget.files ?? [])];
            event.currentTarget.value = '';
            void take(files);
          }}
        />
      </label>
      <PastedCodes />
      <p role="status" class="on-screen">
        {filesLeft.value > 0
          ? `Reading: ${filesLeft.value} to go.`
          : runs.length === 0
            ? 'Choose all run files at once, or drop them anywhere on this page; or paste the codes that came in their place.'
            : `${counted(runs.length, 'run')} read. They stay as long as this tab: go to other parts of the page and come back, but close it and only the files remain.`}
      </p>
      {refused.length === 0 ? null : <NotTaken refused={refused} runs={runs.length} />}
      {runs.length === 0 ? null : (
        <Compared
          runs={runs}
          showsEndings={!hidesEnding(page)}
          busy={session.activity.value !== 'idle'}
          onOpen={(run) => void open(run)}
        />
      )}
    </section>
  );
}

/** What students send in place of files, alone or in the middle of messages. */
function PastedCodes() {
  const text = useSignal('');
  const read = async (): Promise<void> => {
    const pasted = new File([text.value], '.txt', { type: 'text/plain' });
    const files = await filesIn(pasted);
    if (files.includes(pasted)) {
      passedOver.value = 'There is no whole result code in this text: one begins with M1.';
      return;
    }
    text.value = '';
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

/** Files that are none are named at once; copies lose nothing, and are counted. */
function NotTaken({ refused, runs }: { refused: readonly RefusedFile[]; runs: number }) {
  const copies = refused.filter(({ isCopy }) => isCopy);
  const broken = refused.filter(({ isCopy }) => !isCopy);
  const counts = [
    counted(runs, 'run'),
    `${copies.length} ${copies.length === 1 ? 'copy' : 'copies'}`,
    ...(broken.length === 0 ? [] : [`${broken.length} not taken`]),
  ];
  return (
    <>
      {broken.length === 0 ? null : (
        <ul class="fault" aria-label="Files that were not taken">
          <FilesWithWhy files={broken} />
        </ul>
      )}
      {copies.length === 0 ? null : (
        <details class="on-screen">
          <summary>
            {runs + refused.length} files: {counts.join(', ')}
          </summary>
          <ul class="facts" aria-label="Copies">
            <FilesWithWhy files={copies} />
          </ul>
        </details>
      )}
    </>
  );
}

function FilesWithWhy({ files }: { files: readonly RefusedFile[] }) {
  return (
    <>
      {files.map(({ name, why }, index) => (
        <li key={index}>
          <b>{name}</b>: {why}
        </li>
      ))}
    </>
  );
}

function Compared(props: {
  runs: readonly ClassRun[];
  showsEndings: boolean;
  busy: boolean;
  onOpen: (run: ClassRun) => void;
}) {
  const { showsEndings, busy, onOpen } = props;
  const article = useRef<HTMLElement>(null);
  const runs = [...props.runs].sort((one, other) => byStudent.compare(one.student, other.student));
  const names = studentNames(runs);
  const configs = runs.map(({ history }) => history.record.config);
  const settings = classSettings(configs);
  const { arms, others } = settings;
  const queue = configs.map((config, index) => ({ arm: arms[index], config }));
  useReturn(article);
  const repeated = isRepeated(runs);
  const hasEnded = runs.map(({ history }) => history.record.status === 'done');
  const counts = runs.map((_, index) => hasEnded[index] && !repeated[index]);
  const counting = runs.map(({ history }, index) => (counts[index] ? history : null));
  const isAnyCounted = counts.includes(true);
  const drawn = runs.map((_, index) => index).filter((index) => counts[index] || !isAnyCounted);
  const save = (): void => {
    const rows = runs.map(({ history }, index) => ({
      student: names[index],
      arm: armName(arms[index]),
      config: configs[index],
      id: history.record.id,
      status: history.record.status,
      summary: summarise(history),
    }));
    saveFile('marble-class.csv', new Blob([sweepCsv(rows)], { type: 'text/csv' }));
  };
  return (
    <article class="compared" ref={article}>
      <div class="actions on-screen">
        <TakeReport
          article={article}
          title={`A class: ${counted(runs.length, 'run')}`}
          name="marble-class-report"
        />
        <button type="button" onClick={save}>
          Save as CSV
        </button>
        <DeleteButton
          verb={`Clear ${counted(runs.length, 'run')}`}
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
      <Remarks
        runs={runs}
        names={names}
        settings={settings}
        repeated={repeated}
        hasEnded={hasEnded}
        counts={counts}
      />
      {showsEndings && isAnyCounted ? (
        <Tally
          runs={runs.filter((_, index) => counts[index])}
          arms={arms.filter((_, index) => counts[index])}
        />
      ) : null}
      {isAnyCounted ? (
        <ArmsTable
          comparisons={compareArms(queue, counting)}
          pairs={pairArms(queue, counting)}
          showsEndings={showsEndings}
        />
      ) : (
        <p class="explain">No run has come to its end: there is no mean to take.</p>
      )}
      <Charts
        runs={drawn.map((index) => ({
          name: names[index],
          records: runs[index].history.steps,
          evaluations: runs[index].history.evals,
          steps: configs[index].steps,
          arm: armName(arms[index]),
        }))}
        marksEnding={showsEndings}
      />
      <h3>All runs</h3>
      {runs.length > mostInSight ? (
        <p class="explain on-screen">{runs.length} runs: scroll within the table to see all of them.</p>
      ) : null}
      <div class="beside-charts">
        <RunsTable
          label="Runs of the class"
          heading="student"
          showsEndings={showsEndings}
          sorting={sorting}
          rows={runs.map((run, index) => ({
            key: run.history.record.id,
            name: names[index],
            config: configs[index],
            run: { ...run.history, status: run.history.record.status },
            remark: repeated[index] ? 'made twice, does not count' : others[index] || undefined,
            actions: isCode(run) ? (
              'code'
            ) : (
              <button
                type="button"
                disabled={busy}
                data-run={run.history.record.id}
                onClick={(event) => {
                  leave(article.current, event.currentTarget);
                  onOpen(run);
                }}
              >
                Open<span class="visually-hidden"> the run of {names[index]}</span>
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
        runs={runs.flatMap(({ history }, index) =>
          repeated[index] ? [] : [{ ...history, arm: arms[index] }],
        )}
        showsEndings={showsEndings}
      />
    </article>
  );
}

const tableIn = (article: HTMLElement | null) => article?.querySelector('.beside-charts .scroll') ?? null;

/** Remembers where the table stands whose button opens a run. */
function leave(article: HTMLElement | null, button: HTMLElement): void {
  const table = tableIn(article);
  left.value = {
    run: button.dataset.run ?? '',
    top: button.getBoundingClientRect().top,
    table: { left: table?.scrollLeft ?? 0, top: table?.scrollTop ?? 0 },
  };
}

/** Whoever comes back from a run finds the table as it was, at the row that was opened. */
function useReturn(article: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const from = left.value;
    if (from === null) return;
    left.value = null;
    // After the page has gone to its heading, as it does at every place.
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
