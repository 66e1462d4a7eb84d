import { describe, expect, it } from 'vitest';
import { createTokenizer } from '../../src/model/tokenizer/tokenizer';
import { importDataset } from '../../src/tom/import/import-dataset';
import { compactPrompt } from '../../src/tom/text/prompts';
import { embeddedTokenizer } from '../export/model-folder';
import { itemsOf } from './items';
import { sampleBlob, samplesPresent } from './samples';

const tokenizer = createTokenizer(embeddedTokenizer('hitom-mini'));
const encode = (text: string): number[] => tokenizer.encode(text);
const decode = (ids: number[]): string => tokenizer.decode(ids);

const short = itemsOf('hitom-short', 2000, 5);

describe('the vocabulary of hitom-mini', () => {
  it('round-trips every gold trace, and a story and its question on one line', () => {
    for (const { story, question, traces } of short) {
      const line = `${story} ${question}`.replaceAll('\n', ' ');
      for (const text of [line, ...Object.values(traces!)]) expect(decode(encode(text))).toBe(text);
    }
  });

  it.runIf(samplesPresent)('encodes every published story and question', async () => {
    for (const file of ['hitom_half.jsonl', 'Hi-ToM_data.first100.json']) {
      const { items } = await importDataset(sampleBlob(`hitom/${file}`), { name: file });
      expect(items.length).toBeGreaterThan(90);
      for (const item of items) {
        expect(decode(encode(compactPrompt(item)))).toBe(compactPrompt(item).replace(/\s+/g, ' '));
      }
    }
  });
});
