/** Compares the runs of a class in a table, a tally of endings and charts. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Page } from '../page/page';
import { RunsTable } from '../runs/runs-table';
import { DeleteButton } from '../ui/delete-button';
import { counted } from '../ui/numbers';
import { asConfigured } from '../words/arms';
import { armsOf } from '../words/run-words';
import { Comparison, SaveCsv } from '../sweeps/comparison';
import { Remarks, Tally, type ClassRow } from './class-remarks';
import { filesLeft, left, seats, showsEndings } from './class-state';
import { clearClass } from './kept-class';
import { isCode, isRepeated, studentNames, type ClassRun } from './read-runs';

/** Number of table rows that fit on a typical screen. */
const mostInSight = 8;

/** Sorts student 2 before student 10. */
const byStudent = new Intl.Collator(undefined, { numeric: true });

/** Rows of the table, sorted by student. The settings in which a run differs from others form its arm. */
function rowsOf(given: readonly ClassRun[]): ClassRow[] {
  const runs = given.toSorted((one, other) => byStudent.compare(one.student, other.student));
  const names = studentNames(runs);
  const arms = armsOf(runs.map(({ history }) => history.record.config));
  const repeated = isRepeated(runs);
  return runs.map((run, index): ClassRow => {
    const { config, status } = run.history.record;
    const counts = status === 'done' && !repeated[index];
    const arm = arms[index] || asConfigured;
    return { ...run, arm, config, counts, name: names[index], isRepeated: repeated[index] };
  });
}

export type ComparedProps = Pick<Page, 'session' | 'ofClass' | 'places'>;

export function Compared(props: ComparedProps & { read: readonly ClassRun[] }) {
  const { session, ofClass, places, read } = props;
  const tellsEndings = showsEndings.value;
  const article = useRef<HTMLElement>(null);
  const rows = rowsOf(read);
  useReturn(article);
  const counting = rows.filter(({ counts }) => counts);
  const open = async ({ file, student, history }: ClassRun): Promise<void> => {
    const id = await session.openRunFile(file);
    if (id === null) return;
    left.value = history.record.id;
    ofClass.value = { id, student };
    places.go({ name: 'run' });
  };
  const openButton = (row: ClassRow) => (
    <button
      disabled={session.activity.value !== 'idle'}
      data-run={row.history.record.id}
      onClick={() => void open(row)}
    >
      Open<span class="visually-hidden"> the run of {row.name}</span>
    </button>
  );
  const table = (
    <>
      <h3>All runs</h3>
      {rows.length > mostInSight ? (
        <p class="explain">{rows.length} runs: scroll within the table to see all of them.</p>
      ) : null}
      <div class="beside-charts">
        <RunsTable
          label="Runs of the class"
          heading="student"
          showsEndings={tellsEndings}
          rows={rows.map((row) => ({
            ...row,
            remark: row.isRepeated ? 'made twice, does not count' : undefined,
            actions: !tellsEndings ? undefined : isCode(row) ? 'code' : openButton(row),
          }))}
        />
      </div>
    </>
  );
  return (
    <article class="compared stack" ref={article}>
      <div class="actions">
        <button class={tellsEndings ? '' : 'primary'} onClick={() => (showsEndings.value = !tellsEndings)}>
          {tellsEndings ? 'Hide the endings' : 'Show the endings'}
        </button>
        {tellsEndings ? <SaveCsv of="class" rows={rows} /> : null}
        <DeleteButton
          verb={`Clear ${counted(rows.length, 'run')}`}
          name="of the class"
          disabled={filesLeft.value > 0}
          onDelete={() => void clearClass()}
        />
        <label>
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
      {tellsEndings && counting.length > 0 ? <Tally rows={counting} /> : null}
      {!tellsEndings ? (
        table
      ) : (
        <Comparison counting={counting} drawn={counting.length > 0 ? counting : rows} showsEndings>
          {table}
          <p class="explain">
            Small figures are 90 % intervals over the questions of that run, the ones its verdict goes by;
            under “start → end” that of the change, in points. A run that stopped early is compared on the
            questions of its last test alone, in the sentence above on all of its start. “Since the test at
            step 20”: that test and all after it say so; a code holds the last test alone. “Open” keeps the
            run in this browser.
          </p>
        </Comparison>
      )}
    </article>
  );
}

function useReturn(article: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const run = left.value;
    left.value = null;
    if (run === null) return;
    // Waits a frame, since every place first moves to its heading.
    const frame = requestAnimationFrame(() => {
      const button = article.current?.querySelector<HTMLElement>(`[data-run="${CSS.escape(run)}"]`);
      button?.focus({ preventScroll: true });
      button?.scrollIntoView({ block: 'center' });
    });
    return () => cancelAnimationFrame(frame);
  }, []);
}
