/** Reads the run files and result codes of a class, and compares the runs. Sends nothing. */
import { signal, useSignal } from '@preact/signals';
import { toErrorReport } from '../../base/error';
import { counted, distinctlyNamed } from '../ui/numbers';
import { ChooseFiles } from '../ui/files';
import type { Page } from '../page/page';
import { Comparison } from '../sweeps/comparison';
import { DeleteButton } from '../ui/delete-button';
import { asConfigured } from '../words/arms';
import { armsOf } from '../words/run-words';
import { createReader } from '../session/reading';
import {
  codesIn,
  isCode,
  isRepeated,
  readRuns,
  whoIsInWords,
  type ClassRun,
  type ReadRuns,
} from './read-runs';

/** The runs that were read, as long as the tab lasts. */
export const results = signal<ReadRuns>({ runs: [], refused: [] });
export const filesLeft = signal(0);

const { read: readIn, close } = createReader();
let last = Promise.resolve();

/** Reads files after those that were given before, and adds their runs to the results. */
export function takeFiles(files: readonly File[]): Promise<void> {
  filesLeft.value += files.length;
  last = last.then(async () => {
    results.value = await readRuns(files, results.value, (file) =>
      readIn([file], (service) => service.readHistory(file)).finally(() => (filesLeft.value -= 1)),
    );
    close();
  });
  return last;
}

addEventListener('beforeunload', (event) => {
  if (results.value.runs.length > 0) event.preventDefault();
});

export type ResultsProps = Pick<Page, 'session' | 'ofClass' | 'places'>;

export function ClassResults(props: ResultsProps) {
  const { runs, refused } = results.value;
  return (
    <section
      class="panel"
      aria-labelledby="class-results"
      onDrop={(event) => void takeFiles([...(event.dataTransfer?.files ?? [])])}
    >
      <h2 id="class-results">Read the results</h2>
      <p>
        <ChooseFiles
          words="Choose the run files of the class, or drop them here …"
          accept=".marble"
          onFiles={(files) => void takeFiles(files)}
        />
      </p>
      <PastedCodes />
      <p role="status">
        {filesLeft.value > 0
          ? `Reading: ${filesLeft.value} to go.`
          : runs.length === 0
            ? 'Choose all run files at once, or paste the codes that came in their place.'
            : `${counted(runs.length, 'run')} read. They stay as long as this tab; keep the files.`}
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
      {runs.length === 0 ? null : <Compared {...props} read={runs} />}
    </section>
  );
}

/** Limit in characters of the field, which holds the codes of 100 students. Chromium lays it out in some 100 ms. */
const longestPaste = 200_000;

/** Input for result codes, which students may send instead of files. Other text around the codes is allowed. */
function PastedCodes() {
  const said = useSignal('');
  const read = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const { findCodes } = await import('../../share/result-code');
    try {
      const text = form.querySelector('textarea')!.value;
      const files = codesIn(text, findCodes(text));
      said.value =
        files.length === 0
          ? 'There is no result code in this text. One begins with M2.'
          : text.length >= longestPaste
            ? 'The text was cut off at the limit of this field. Paste the codes of the last students again.'
            : '';
      if (files.length > 0) form.reset();
      await takeFiles(files);
    } catch (thrown) {
      said.value = toErrorReport(thrown).message; // too many codes
    }
  };
  return (
    <form class="codes row" onSubmit={(event) => void read(event)}>
      <label class="field">
        <span>Result codes</span>
        <textarea rows={2} required maxLength={longestPaste} placeholder="M2.…" />
      </label>
      <button type="submit">Read the codes</button>
      <span role="status">{said}</span>
    </form>
  );
}

/** Sorts student 2 before student 10. */
const byStudent = new Intl.Collator(undefined, { numeric: true });

/** Who has handed in, and how the runs of each arm ended. */
function Compared(props: ResultsProps & { read: readonly ClassRun[] }) {
  const { session, ofClass, places } = props;
  const runs = props.read.toSorted((one, other) => byStudent.compare(one.student, other.student));
  const named = distinctlyNamed(runs.map(({ student: name }) => ({ name })));
  // The settings in which a run differs from others form its arm.
  const arms = armsOf(runs.map(({ history }) => history.record.config));
  const repeated = isRepeated(runs);
  const open = async ({ file, student }: ClassRun): Promise<void> => {
    const id = await session.openRunFile(file);
    if (id === null) return;
    ofClass.value = { id, student };
    places.go({ name: 'run' });
  };
  const rows = runs.map((run, index) => ({
    ...{ name: named[index].name, arm: arms[index] || asConfigured, isRepeated: repeated[index] },
    ...{ history: run.history, config: run.history.record.config },
    actions: isCode(run) ? (
      'code'
    ) : (
      <button disabled={session.activity.value !== 'idle'} onClick={() => void open(run)}>
        Open<span class="visually-hidden"> the run of {named[index].name}</span>
      </button>
    ),
  }));
  return (
    <article class="compared stack">
      <div class="actions">
        <DeleteButton
          verb={`Clear ${counted(rows.length, 'run')}`}
          name="of the class"
          disabled={filesLeft.value > 0}
          onDelete={() => (results.value = { runs: [], refused: [] })}
        />
      </div>
      <p class="lead">{whoIsInWords(runs)}</p>
      <Comparison of="class" rows={rows} />
    </article>
  );
}
