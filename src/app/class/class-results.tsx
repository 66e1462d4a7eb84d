/** Reads the run files and result codes of a class. Sends nothing. */
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { toErrorReport } from '../../base/error';
import type { FoundCode } from '../../share/result-code';
import type { Page } from '../page/page';
import { counted } from '../ui/numbers';
import { ChooseFiles } from '../ui/files';
import { Compared, type ComparedProps } from './class-compared';
import { filesLeft, results, unkept } from './class-state';
import { restoreClass, takeFiles } from './kept-class';
import { codesIn, looksLikeCode, type ReadRuns, type RefusedFile } from './read-runs';

/** Message about text that could not be read as a code; empty if there is none. */
const passedOver = signal('');

function forgetFaults(): void {
  passedOver.value = '';
  if (results.value.refused.length > 0) results.value = { ...results.value, refused: [] };
}

/** Returns the codes of a text as files. Sets `passedOver` for a text without any, and for incomplete ones. */
async function codesOf(text: string): Promise<{ files: File[]; hasWhole: boolean }> {
  const { findCodes } = await import('../../share/result-code');
  let found: FoundCode[];
  try {
    found = findCodes(text);
  } catch (thrown) {
    passedOver.value = toErrorReport(thrown).message; // too long, or too many codes
    return { files: [], hasWhole: false };
  }
  const { files, others } = codesIn(text, found);
  const parts = others.filter(looksLikeCode);
  passedOver.value =
    files.length === 0
      ? `There is no whole result code in this text. One begins with M2.${parts.length === 0 ? '' : ': its beginning seems to be missing.'}`
      : parts.length === 0
        ? ''
        : `Without a whole code: “${parts.join('”, “').slice(0, 120)}”.`;
  return { files, hasWhole: found.some(({ isWhole }) => isWhole) };
}

/** Extracts the codes of a text file, as from pasted text. Returns any other file unchanged. */
async function filesIn(file: File): Promise<File[]> {
  const { mostText } = await import('../../share/result-code');
  if (!/\.txt$/i.test(file.name) || file.size > mostText) return [file];
  const text = await file.text().catch(() => ''); // reading it as a run states why it cannot be read
  if (!/\bM2\./.test(text)) return [file]; // as of a run file that a mail program has renamed
  const { files } = await codesOf(text);
  return files.length > 0 ? files : [file];
}

async function take(given: readonly File[]): Promise<void> {
  forgetFaults();
  await takeFiles((await Promise.all(given.map(filesIn))).flat());
}

export type ResultsProps = ComparedProps & Pick<Page, 'droppedRuns'>;

export function ClassResults({ droppedRuns, ...compared }: ResultsProps) {
  const dropped = droppedRuns.value;
  useEffect(() => void restoreClass(), []);
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
            : `${counted(runs.length, 'run')} read. ${keptWords()}`}
      </p>
      {refused.length === 0 ? null : <NotTaken read={results.value} />}
      {runs.length === 0 ? null : <Compared {...compared} read={runs} />}
    </section>
  );
}

function keptWords(): string {
  if (unkept.value === null) return 'They stay in this browser until you clear them.';
  return unkept.value === ''
    ? 'They are being stored.'
    : `They stay only as long as this tab. ${unkept.value}`;
}

/** Limit in characters of the field, which holds the codes of 100 students. Chromium lays it out in some 100 ms. */
const longestPaste = 200_000;

/** Input for result codes, which students may send instead of files. Other text around the codes is allowed. */
function PastedCodes() {
  const text = useSignal('');
  const read = async (): Promise<void> => {
    const given = text.value;
    forgetFaults();
    const { files, hasWhole } = await codesOf(given);
    // A text without a complete code stays in the field, for correction.
    if (hasWhole && text.value === given) text.value = '';
    if (files.length > 0) await takeFiles(files);
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
        <ul class="fault" aria-label="Files that were not taken">
          {items(broken)}
        </ul>
      )}
      {copies.length === 0 ? null : (
        <details>
          <summary>
            {runs.length + refused.length} files and codes: {counted(runs.length, 'run')}, {copies.length}{' '}
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
