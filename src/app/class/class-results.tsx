/** Reads the run files and result codes of a class, and compares the runs. Sends nothing. */
import { signal, useSignal } from '@preact/signals';
import { toErrorReport } from '../../base/error';
import { counted } from '../ui/numbers';
import { ChooseFiles } from '../ui/files';
import type { Page } from '../page/page';
import { Comparison } from '../sweeps/comparison';
import { DeleteButton } from '../ui/delete-button';
import { asConfigured } from '../words/arms';
import { armsOf } from '../words/run-words';
import { filesLeft, results, takeFiles } from './class-state';
import { codesIn, isCode, isRepeated, seatsOf, studentNames, whoIsInWords, type ClassRun } from './read-runs';

/** Message about a text without a code; empty if there is none. */
const noCode = signal('');

/** Returns the codes of a text as files. */
async function codesOf(text: string): Promise<File[]> {
  const { findCodes } = await import('../../share/result-code');
  try {
    const files = codesIn(text, findCodes(text));
    noCode.value = files.length > 0 ? '' : 'There is no result code in this text. One begins with M2.';
    return files;
  } catch (thrown) {
    noCode.value = toErrorReport(thrown).message; // too long, or too many codes
    return [];
  }
}

/** Takes files. A text file gives the codes in it, and is taken as a run if it has none. */
async function takeAll(given: readonly File[]): Promise<void> {
  const filesOf = async (file: File): Promise<File[]> => {
    const { mostText } = await import('../../share/result-code');
    if (!/\.txt$/i.test(file.name) || file.size > mostText) return [file];
    const codes = await codesOf(await file.text().catch(() => '')); // reading it as a run says why it cannot be read
    noCode.value = '';
    return codes.length > 0 ? codes : [new File([file], file.name, { type: '' })];
  };
  await takeFiles((await Promise.all(given.map(filesOf))).flat());
}

export type ResultsProps = Pick<Page, 'session' | 'ofClass' | 'places'>;

export function ClassResults(props: ResultsProps) {
  const { runs, refused } = results.value;
  return (
    <section
      class="panel"
      aria-labelledby="class-results"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void takeAll([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <h2 id="class-results">Read the results</h2>
      <p>
        <ChooseFiles
          words="Choose the run files of the class, or drop them here …"
          accept=".marble,.txt"
          onFiles={(files) => void takeAll(files)}
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
  const text = useSignal('');
  const read = async (): Promise<void> => {
    const given = text.value;
    const files = await codesOf(given);
    if (files.length === 0) return;
    if (text.value === given) text.value = '';
    await takeFiles(files);
  };
  return (
    <form
      class="codes row"
      onSubmit={(event) => {
        event.preventDefault();
        void read();
      }}
    >
      <label class="field">
        <span>Result codes</span>
        <textarea
          rows={2}
          maxLength={longestPaste}
          data-too-long="Paste the codes of fewer students at a time."
          value={text.value}
          placeholder="M2.…"
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={text.value.trim() === ''}>
        Read the codes
      </button>
      <span role="status">{noCode}</span>
    </form>
  );
}

/** Sorts student 2 before student 10. */
const byStudent = new Intl.Collator(undefined, { numeric: true });

/** Who has handed in, and how the runs of each arm ended. */
function Compared(props: ResultsProps & { read: readonly ClassRun[] }) {
  const { session, ofClass, places } = props;
  const runs = props.read.toSorted((one, other) => byStudent.compare(one.student, other.student));
  const names = studentNames(runs);
  // The settings in which a run differs from others form its arm.
  const arms = armsOf(runs.map(({ history }) => history.record.config));
  const repeated = isRepeated(runs);
  const seats = seatsOf(runs);
  const open = async ({ file, student }: ClassRun): Promise<void> => {
    const id = await session.openRunFile(file);
    if (id === null) return;
    ofClass.value = { id, student };
    places.go({ name: 'run' });
  };
  const rows = runs.map((run, index) => ({
    ...{ name: names[index], arm: arms[index] || asConfigured, isRepeated: repeated[index] },
    ...{ history: run.history, config: run.history.record.config },
    actions: isCode(run) ? (
      'code'
    ) : (
      <button disabled={session.activity.value !== 'idle'} onClick={() => void open(run)}>
        Open<span class="visually-hidden"> the run of {names[index]}</span>
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
      {seats === null ? null : (
        <p class="lead">
          {whoIsInWords(
            runs.map(({ student }) => student),
            seats,
          )}
        </p>
      )}
      <Comparison of="class" rows={rows} />
    </article>
  );
}
