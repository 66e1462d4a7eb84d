/** The runs of a class in one table, one tally of endings and one set of curves; nothing is kept, nothing is sent. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { endings, standingOf } from '../../run/ending';
import { summarise } from '../../run/summary';
import { compareArms } from '../../run/sweep';
import { differingSettings } from '../../share/differing';
import { sweepCsv } from '../../share/sweep-csv';
import { Charts } from '../charts';
import { verdictsOf } from '../ending-words';
import type { Page } from '../page';
import { RunsTable } from '../runs-table';
import { saveFile } from '../save-file';
import { ArmsTable } from '../sweeps/arms-table';
import { armName } from '../sweeps/words';
import { readRuns, studentNames, type ClassRun, type ReadRuns } from './read-runs';

const nothing: ReadRuns = { runs: [], refused: [] };

/** Student 2 before student 10. */
const byStudent = new Intl.Collator(undefined, { numeric: true });

export function ClassResults({ page }: { page: Page }) {
  const { session, places, droppedRuns } = page;
  const read = useSignal<ReadRuns>(nothing);
  /** Files that are still to be read. */
  const left = useSignal(0);
  const take = async (files: readonly File[]): Promise<void> => {
    left.value += files.length;
    await readRuns(files, read.value, (now) => {
      read.value = now;
      left.value -= 1;
    });
  };
  const dropped = droppedRuns.value;
  useEffect(() => {
    if (dropped.length === 0 || left.value > 0) return;
    droppedRuns.value = [];
    void take(dropped);
  }, [dropped]);
  const { runs, refused } = read.value;
  const open = async ({ file }: ClassRun): Promise<void> => {
    if ((await session.openRunFile(file)) !== null) places.go({ name: 'run' });
  };
  return (
    <section class="panel" aria-labelledby="class-results">
      <div class="panel-head">
        <h2 id="class-results">Read the results</h2>
        <label class="open-file">
          Run files of the class{' '}
          <input
            type="file"
            multiple
            accept=".marble"
            onChange={(event) => {
              const files = [...(event.currentTarget.files ?? [])];
              event.currentTarget.value = '';
              void take(files);
            }}
          />
        </label>
      </div>
      <p role="status">
        {left.value > 0
          ? `Reading: ${left.value} to go.`
          : runs.length === 0
            ? 'Choose all run files at once, or drop them anywhere on this page.'
            : `${runs.length} ${runs.length === 1 ? 'run' : 'runs'} read. They are not kept here: close the tab and only the files remain.`}
      </p>
      {refused.length === 0 ? null : (
        <ul class="fault" aria-label="Files that were not taken">
          {refused.map(({ name, why }, index) => (
            <li key={index}>
              <b>{name}</b>: {why}
            </li>
          ))}
        </ul>
      )}
      {runs.length === 0 ? null : (
        <Compared
          runs={runs}
          showsEndings={!page.hidden.value.includes('collapse')}
          busy={session.activity.value !== 'idle'}
          onOpen={(run) => void open(run)}
          onClear={() => (read.value = nothing)}
        />
      )}
    </section>
  );
}

function Compared(props: {
  runs: readonly ClassRun[];
  showsEndings: boolean;
  busy: boolean;
  onOpen: (run: ClassRun) => void;
  onClear: () => void;
}) {
  const { showsEndings, busy, onOpen, onClear } = props;
  const runs = [...props.runs].sort((one, other) => byStudent.compare(one.student, other.student));
  const names = studentNames(runs);
  const configs = runs.map(({ history }) => history.record.config);
  const { arms } = differingSettings(configs);
  const queue = configs.map((config, index) => ({ arm: arms[index], config }));
  const save = (): void => {
    const rows = runs.map(({ history }, index) => ({
      arm: arms[index],
      config: configs[index],
      id: names[index],
      status: history.record.status,
      summary: summarise(history),
    }));
    saveFile('marble-class.csv', new Blob([sweepCsv(rows)], { type: 'text/csv' }));
  };
  return (
    <>
      <div class="actions">
        <button type="button" onClick={save}>
          Save as CSV
        </button>
        <button type="button" onClick={onClear}>
          Begin anew
        </button>
      </div>
      {showsEndings ? <Tally runs={runs} /> : null}
      <ArmsTable
        comparisons={compareArms(
          queue,
          runs.map(({ history }) => (history.record.status === 'done' ? history : null)),
        )}
        showsEndings={showsEndings}
      />
      <Charts
        runs={runs.map(({ history }, index) => ({
          name: names[index],
          records: history.steps,
          evaluations: history.evals,
          steps: configs[index].steps,
          arm: armName(arms[index]),
        }))}
        marksEnding={showsEndings}
      />
      <h3>All runs</h3>
      <RunsTable
        label="Runs of the class"
        heading="student"
        showsEndings={showsEndings}
        rows={runs.map((run, index) => ({
          key: run.history.record.id,
          name: names[index],
          config: configs[index],
          run: { ...run.history, status: run.history.record.status },
          actions: (
            <button type="button" disabled={busy} onClick={() => onOpen(run)}>
              Open<span class="visually-hidden"> the run of {names[index]}</span>
            </button>
          ),
        }))}
      />
      <p class="explain">
        Small figures are 90 % intervals over the questions of that run, the ones its verdict goes by. “Open”
        keeps the run in this browser.
      </p>
    </>
  );
}

/** How many runs ended how, a square for each. */
function Tally({ runs }: { runs: readonly ClassRun[] }) {
  const found = runs.map(({ history }) => standingOf(verdictsOf(history.evals))?.ending ?? 'no verdict');
  const rows = [...endings, 'no verdict'].map((ending) => ({
    ending,
    count: found.filter((other) => other === ending).length,
  }));
  return (
    <dl class="tally" aria-label="How the runs ended">
      {rows
        .filter(({ ending, count }) => count > 0 || ending !== 'no verdict')
        .map(({ ending, count }) => (
          <div key={ending}>
            <dt>{ending}</dt>
            <dd>
              <span aria-hidden="true" class={`squares ${ending.replace(' ', '-')}`}>
                {'■'.repeat(count)}
              </span>{' '}
              {count}
            </dd>
          </div>
        ))}
    </dl>
  );
}
