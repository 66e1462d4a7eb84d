/** What a file is taken for, how its columns map, and its first questions. */
import type { ImportPreview } from '../../tom/import/import-dataset';
import { counted } from '../ui/numbers';
import { Scroll, Table } from '../ui/table';

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
      <Scroll label="Mapping">
        <Table
          caption="What is read from where"
          head={['Field', 'From the file']}
          rows={Object.entries(mapping)}
        />
      </Scroll>
      <Scroll label="First questions">
        <Table
          caption="The first questions"
          head={['Question', 'Answer', 'Order', 'Kind', 'Story']}
          rows={sample.map((item) => [
            <>
              {item.question}
              {item.choices === undefined ? null : (
                <details>
                  <summary>{item.choices.length} choices, shuffled</summary>
                  {item.choices.join(', ')}
                </details>
              )}
            </>,
            item.answer,
            item.order,
            item.kind ?? '',
            item.story === '' ? (
              'none'
            ) : (
              <details>
                <summary>{item.story.slice(0, 60)} …</summary>
                <span class="story">{item.story}</span>
              </details>
            ),
          ])}
        />
      </Scroll>
    </div>
  );
}
