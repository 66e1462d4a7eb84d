/** Reads the run files and result codes of a class. Sends nothing. */
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { toErrorReport } from '../../base/error';
import type { Page } from '../page/page';
import { counted } from '../ui/numbers';
import { ChooseFiles } from '../ui/files';
import { Compared, type ComparedProps } from './class-compared';
import { filesLeft, results, takeFiles } from './class-state';
import { codesIn } from './read-runs';

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

/** Extracts the codes of a text file, as from pasted text. Returns any other file unchanged. */
async function filesIn(file: File): Promise<File[]> {
  const { mostText } = await import('../../share/result-code');
  if (!/\.txt$/i.test(file.name) || file.size > mostText) return [file];
  const text = await file.text().catch(() => ''); // reading it as a run states why it cannot be read
  if (!/\bM2\./.test(text)) return [file]; // as of a run file that a mail program has renamed
  const files = await codesOf(text);
  return files.length > 0 ? files : [file];
}

async function take(given: readonly File[]): Promise<void> {
  noCode.value = '';
  await takeFiles((await Promise.all(given.map(filesIn))).flat());
}

export type ResultsProps = ComparedProps & Pick<Page, 'droppedRuns'>;

export function ClassResults({ droppedRuns, ...compared }: ResultsProps) {
  const dropped = droppedRuns.value;
  useEffect(() => {
    if (dropped.length === 0) return;
    droppedRuns.value = [];
    void take(dropped);
  }, [dropped]);
  const { runs, refused } = results.value;
  return (
    <section class="panel" aria-labelledby="class-results">
      <h2 id="class-results">Read the results</h2>
      <p>
        <ChooseFiles
          words="Choose the run files of the class …"
          accept=".marble,.txt"
          onFiles={(files) => void take(files)}
        />
      </p>
      <PastedCodes />
      <p role="status">
        {filesLeft.value > 0
          ? `Reading: ${filesLeft.value} to go.`
          : runs.length === 0
            ? 'Choose all run files at once, or drop them anywhere on this page; or paste the codes that came in their place.'
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
      {runs.length === 0 ? null : <Compared {...compared} read={runs} />}
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
          data-too-long="Save it as a .txt file and choose that above, or paste the codes of fewer students."
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
