/** Imports a chosen, dropped or fetched file. Shows its format and mapping first, then keeps all of it or nothing. */
import { useSignal } from '@preact/signals';
import type { Imported } from '../../../workers/dataset-service';
import { MarbleError, toErrorReport, type ErrorReport } from '../../base/error';
import { datasetNameOf } from '../../tom/import/dataset-id';
import type { ImportPreview } from '../../tom/import/import-dataset';
import { ChooseFiles } from '../ui/files';
import { counted } from '../ui/numbers';
import { FieldList, Scroll, Table } from '../ui/table';
import type { DatasetLibrary } from '../page/dataset-library';

/** At most one of these at a time. */
interface State {
  busy?: string;
  refused?: ErrorReport & { file: string };
  previewed?: ImportPreview & { file: File };
  kept?: Imported;
}

/** Text of a field that was sent with its form. */
function sentText(event: SubmitEvent): string {
  event.preventDefault();
  return (event.currentTarget as HTMLFormElement).querySelector('input')!.value.trim();
}

export function ImportPanel({ library }: { library: DatasetLibrary }) {
  const state = useSignal<State>({});
  const { busy, refused, previewed, kept } = state.value;
  const isBusy = busy !== undefined;

  async function attempt(verb: string, file: string, work: () => Promise<State>): Promise<void> {
    const begun = (state.value = { busy: `${verb} ${file.slice(0, 80)} …` });
    const next = await work().catch((thrown: unknown) => ({ refused: { file, ...toErrorReport(thrown) } }));
    if (state.value === begun) state.value = next; // otherwise cancelled
  }
  const cancel = (): void => {
    state.value = {};
    library.cancel();
  };
  const preview = async (file: File): Promise<State> => ({
    previewed: { file, ...(await library.preview(file)) },
  });
  const choose = (files: readonly File[]): Promise<void> =>
    attempt('Reading', files.map((file) => file.name).join(', '), () => {
      if (files.length === 1) return preview(files[0]);
      const nextStep = 'Choose or drop the files one by one.';
      return Promise.reject(new MarbleError('app/one-file', 'A data set is one file.', nextStep));
    });
  const fetchFrom = (address: string): Promise<void> =>
    attempt('Fetching', address, async () => preview(await library.fetchFile(address)));
  const keep = (file: File, name: string): Promise<void> =>
    attempt('Importing', file.name, async () => ({
      kept: await library.keep(file, name || datasetNameOf(file.name)),
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
            disabled={isBusy}
            onFiles={(files) => void choose(files)}
          />
        </p>
        <form class="actions" onSubmit={(event) => void fetchFrom(sentText(event))}>
          <input
            type="text"
            maxLength={10_000}
            required
            inputMode="url"
            aria-label="Address of a file"
            placeholder="or https://…"
          />
          <button type="submit" disabled={isBusy}>
            Fetch
          </button>
        </form>
        <p class="explain">
          JSON, JSON lines, CSV, parquet, or bAbI text: Hi-ToM, ToMi, ExploreToM, ToM-RL, GSM8K, or rows of
          your own with question and answer, and a story if they have one. At most 32 MB. It stays on this
          computer.
        </p>
      </div>
      <p role="status">{busy ?? (kept && keptWords(kept))}</p>
      {isBusy ? <button onClick={cancel}>Cancel</button> : null}
      {refused === undefined ? null : (
        <p role="alert" class="refused framed">
          <b>Not imported: {refused.file}.</b> {refused.message} {refused.nextStep}
        </p>
      )}
      {previewed === undefined ? null : (
        <>
          <p>
            <b>{previewed.format.toUpperCase()}</b>, {counted(previewed.rows, 'row')}, read as{' '}
            <b>{previewed.dataset}</b>. Terms: {previewed.licence}.
          </p>
          <h3>What is read from where</h3>
          <FieldList fields={Object.entries(previewed.mapping)} />
          <Scroll label="First questions">
            <Table
              class="small"
              caption="The first questions"
              head={['Question', 'Answer', 'Order', 'Kind', 'Story']}
              rows={previewed.sample.map(({ question, answer, order, kind, story }) => [
                ...[question, answer, order, kind],
                story === '' ? 'none' : `${story.slice(0, 60)} …`,
              ])}
            />
          </Scroll>
          <form class="actions" onSubmit={(event) => void keep(previewed.file, sentText(event))}>
            <label>
              Name{' '}
              <input
                type="text"
                name="name"
                maxLength={60}
                defaultValue={datasetNameOf(previewed.file.name)}
              />
            </label>
            <button type="submit" class="primary">
              Import {counted(previewed.rows, 'row')}
            </button>
            <button type="button" onClick={cancel}>
              Cancel
            </button>
          </form>
        </>
      )}
    </section>
  );
}

function keptWords({ record, skipped }: Imported): string {
  const left = Object.entries(skipped).map(([reason, count]) => `${counted(count, 'row')}: ${reason}`);
  const rest = left.length === 0 ? '' : ` Left out: ${left.join('; ')}.`;
  return `${record.name} is kept: ${counted(record.count, 'question')} about ${record.stories.toLocaleString('en')} stories.${rest}`;
}
