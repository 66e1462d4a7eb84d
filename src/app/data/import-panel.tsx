/** Imports a chosen, dropped or fetched file. Shows its format and mapping first, then keeps all of it or nothing. */
import { useSignal } from '@preact/signals';
import type { Imported } from '../../../workers/dataset-service';
import { MarbleError, toErrorReport, type ErrorReport } from '../../base/error';
import { datasetNameOf } from '../../tom/import/dataset-id';
import type { ImportPreview } from '../../tom/import/import-dataset';
import { ChooseFiles } from '../ui/files';
import { counted } from '../ui/numbers';
import { Scroll, Table } from '../ui/table';
import type { DatasetLibrary } from '../page/dataset-library';

type State =
  | { is: 'empty' }
  | { is: 'busy'; words: string }
  | { is: 'refused'; file: string; error: ErrorReport }
  | { is: 'previewed'; file: File; preview: ImportPreview }
  | { is: 'kept'; imported: Imported };

export function ImportPanel({ library }: { library: DatasetLibrary }) {
  const state = useSignal<State>({ is: 'empty' });
  const name = useSignal('');
  const now = state.value;

  async function attempt(words: string, file: string, work: () => Promise<State>): Promise<void> {
    const busy: State = { is: 'busy', words };
    state.value = busy;
    const next = await work().catch((thrown: unknown): State => ({
      is: 'refused',
      file,
      error: toErrorReport(thrown),
    }));
    if (state.value === busy) state.value = next; // otherwise cancelled
  }
  const cancel = (): void => {
    state.value = { is: 'empty' };
    library.cancel();
  };
  const previewed = async (file: File): Promise<State> => {
    name.value = datasetNameOf(file.name);
    return { is: 'previewed', file, preview: await library.preview(file) };
  };
  const choose = (files: readonly File[]): Promise<void> => {
    const names = files.map((file) => file.name).join(', ');
    return attempt(`Reading ${names}`, names, async () => {
      if (files.length === 1) return previewed(files[0]);
      throw new MarbleError(
        'app/one-file',
        'A data set is one file.',
        'Choose or drop the files one by one.',
      );
    });
  };
  const fetchFrom = (address: string): Promise<void> =>
    attempt(`Fetching ${address.slice(0, 80)}`, address, async () =>
      previewed(await library.fetchFile(address)),
    );
  const keep = (file: File): Promise<void> =>
    attempt(`Importing ${file.name}`, file.name, async () => ({
      is: 'kept',
      imported: await library.keep(file, name.value.trim() || datasetNameOf(file.name)),
    }));

  return (
    <section class="panel" aria-labelledby="import">
      <h2 id="import">Import a data set</h2>
      <div
        class="drop stack framed"
        onDrop={({ dataTransfer }) => {
          const files = [...(dataTransfer?.files ?? [])];
          if (files.length > 0) void choose(files);
        }}
      >
        <p>
          <ChooseFiles
            words="Choose a file, or drop it here …"
            accept=".json,.jsonl,.ndjson,.csv,.tsv,.txt,.parquet"
            disabled={now.is === 'busy'}
            onFiles={(files) => void choose(files)}
          />
        </p>
        <form
          class="actions"
          onSubmit={(event) => {
            event.preventDefault();
            const address = new FormData(event.currentTarget).get('address');
            if (typeof address === 'string' && address.trim() !== '') void fetchFrom(address.trim());
          }}
        >
          <input
            type="text"
            name="address"
            inputMode="url"
            aria-label="Address of a file"
            placeholder="or https://…"
          />
          <button type="submit" disabled={now.is === 'busy'}>
            Fetch
          </button>
        </form>
        <p class="explain">
          JSON, JSON lines, CSV, parquet, or bAbI text: Hi-ToM, ToMi, ExploreToM, ToM-RL, GSM8K, or rows of
          your own with question and answer, and a story if they have one. At most 32 MB. It stays on this
          computer.
        </p>
      </div>
      <p role="status">
        {now.is === 'busy' ? `${now.words} … ` : ''}
        {now.is === 'kept' ? keptWords(now.imported) : ''}
      </p>
      {now.is === 'busy' ? <button onClick={cancel}>Cancel</button> : null}
      {now.is === 'refused' ? (
        <div role="alert" class="refused framed">
          <p>
            <b>Not imported: {now.file}.</b> {now.error.message}
          </p>
          <p>{now.error.nextStep}</p>
        </div>
      ) : null}
      {now.is === 'previewed' ? (
        <>
          <Preview preview={now.preview} />
          <form
            class="actions"
            onSubmit={(event) => {
              event.preventDefault();
              void keep(now.file);
            }}
          >
            <label>
              Name{' '}
              <input
                type="text"
                maxLength={60}
                value={name}
                onInput={(event) => (name.value = event.currentTarget.value)}
              />
            </label>
            <button type="submit" class="primary">
              Import {counted(now.preview.rows, 'row')}
            </button>
            <button type="button" onClick={() => (state.value = { is: 'empty' })}>
              Cancel
            </button>
          </form>
        </>
      ) : null}
    </section>
  );
}

function keptWords({ record, skipped }: Imported): string {
  const left = Object.entries(skipped).map(([reason, count]) => `${counted(count, 'row')}: ${reason}`);
  const rest = left.length === 0 ? '' : ` Left out: ${left.join('; ')}.`;
  return `${record.name} is kept: ${counted(record.count, 'question')} about ${record.stories.toLocaleString('en')} stories.${rest}`;
}

const formatWords: Record<ImportPreview['format'], string> = {
  json: 'JSON',
  jsonl: 'JSON lines',
  csv: 'separated values (CSV)',
  babi: 'bAbI text',
  parquet: 'parquet',
};

function Preview({ preview }: { preview: ImportPreview }) {
  const { format, dataset, licence, mapping, rows, sample } = preview;
  return (
    <div class="preview stack">
      <p>
        <b>{formatWords[format]}</b>, {counted(rows, 'row')}, read as <b>{dataset}</b>. Terms: {licence}.
      </p>
      <Scroll label="Mapping">
        <Table
          class="small"
          caption="What is read from where"
          head={['Field', 'From the file']}
          rows={Object.entries(mapping)}
        />
      </Scroll>
      <Scroll label="First questions">
        <Table
          class="small"
          caption="The first questions"
          head={['Question', 'Answer', 'Order', 'Kind', 'Story']}
          rows={sample.map((item) => [
            item.question,
            item.answer,
            item.order,
            item.kind ?? '',
            item.story === '' ? 'none' : `${item.story.slice(0, 60)} …`,
          ])}
        />
      </Scroll>
    </div>
  );
}
