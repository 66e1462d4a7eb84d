/** A data set of the Hub before any of it is fetched: its terms as its card states them, its parts, and their sizes. */
import { useSignal } from '@preact/signals';
import { sizeWords } from '../models/sizes';
import type { HubDataset, HubSplit } from '../../../workers/dataset-protocol';

export function HubChoice(props: {
  dataset: HubDataset;
  onAgreed: (split: HubSplit) => void;
  onCancel: () => void;
}) {
  const { dataset, onAgreed, onCancel } = props;
  const { repository, revision, licence, splits } = dataset;
  const chosen = useSignal(0);
  const split = splits[chosen.value];
  return (
    <form
      class="preview"
      onSubmit={(event) => {
        event.preventDefault();
        onAgreed(split);
      }}
    >
      <p>
        <b>{repository}</b> on the Hugging Face Hub, converted to parquet at commit{' '}
        <code>{revision.slice(0, 8)}</code>. Licence field of its card:{' '}
        <b>{licence ?? 'none, so its terms are not known'}</b>. Read its page before you train on it.
      </p>
      <label>
        Part{' '}
        <select value={chosen} onChange={(event) => (chosen.value = Number(event.currentTarget.value))}>
          {splits.map(({ config, split: name, bytes }, index) => (
            <option key={`${config}/${name}`} value={index}>
              {config}/{name}, {sizeWords(bytes)}
            </option>
          ))}
        </select>
      </label>
      <div class="actions">
        <button type="submit" class="primary">
          Download {sizeWords(split.bytes)} from huggingface.co
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
