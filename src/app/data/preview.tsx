/** What a file is taken for, how its columns map, and its first questions. */
import type { Item } from '../../tom/item';
import type { ImportPreview } from '../../tom/import/import-dataset';
import { counted } from '../ui/numbers';

const formatWords: Record<ImportPreview['format'], string> = {
  json: 'JSON',
  jsonl: 'JSON lines',
  csv: 'separated values (CSV)',
  babi: 'bAbI text',
  parquet: 'parquet',
};

export function Preview({ preview }: { preview: ImportPreview }) {
  const { format, dataset, licence, training, mapping, rows, sample } = preview;
  return (
    <div class="preview">
      <p>
        <b>{formatWords[format]}</b>, {counted(rows, 'row')}, read as <b>{dataset}</b>. Terms: {licence}.{' '}
        {training === 'forbidden' ? (
          <span class="badge">Evaluation only: its terms forbid training</span>
        ) : null}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Mapping">
        <table>
          <caption>What is read from where</caption>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">From the file</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(mapping).map(([field, source]) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td>{source}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="First questions">
        <table>
          <caption>The first questions</caption>
          <thead>
            <tr>
              <th scope="col">Question</th>
              <th scope="col">Answer</th>
              <th scope="col">Order</th>
              <th scope="col">Kind</th>
              <th scope="col">Story</th>
            </tr>
          </thead>
          <tbody>
            {sample.map((item) => (
              <SampleRow key={item.id} item={item} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function SampleRow({ item }: { item: Item }) {
  return (
    <tr>
      <td>
        {item.question}
        {item.choices === undefined ? null : (
          <details>
            <summary>{item.choices.length} choices, shuffled</summary>
            {item.choices.join(', ')}
          </details>
        )}
      </td>
      <td>{item.answer}</td>
      <td>{item.order}</td>
      <td>{item.kind ?? ''}</td>
      <td>
        {item.story === '' ? (
          'none'
        ) : (
          <details>
            <summary>{item.story.slice(0, 60)} …</summary>
            <span class="story">{item.story}</span>
          </details>
        )}
      </td>
    </tr>
  );
}
