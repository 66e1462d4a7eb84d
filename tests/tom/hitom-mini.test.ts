import { describe, expect, it } from 'vitest';
import { createTokenizer } from '../../src/model/tokenizer/tokenizer';
import { hiTomTokens, SHORT_PROMPT } from '../../src/tom/worlds/hitom';
import { importDataset } from '../../src/tom/import/import-dataset';
import { type Item } from '../../src/tom/item';
import { compactPrompt } from '../../src/tom/text/prompts';
import { embeddedTokenizer } from '../export/model-folder';
import { itemsOf } from './items';
import { sampleBlob, samplesPresent } from './samples';

const json = embeddedTokenizer('hitom-mini');
const vocabulary = Object.keys(json.model.vocab);
const tokenizer = createTokenizer(json);
const encode = (text: string): number[] => tokenizer.encode(text);
const decode = (ids: number[]): string => tokenizer.decode(ids);

const short = itemsOf('hitom-short', 2000, 5);

describe('the vocabulary of hitom-mini', () => {
  it('round-trips every gold trace', () => {
    const back = (text: string): string => decode(encode(text));
    const traces = short.flatMap((item) => Object.values(item.traces!));
    const changed = traces.filter((text) => back(text) !== text);
    expect(changed).toEqual([]);
  });

  it('round-trips a story and its question on one line', () => {
    for (const { story, question } of short.slice(0, 200)) {
      const line = `${story} ${question}`.replaceAll('\n', ' ');
      expect(decode(encode(line))).toBe(line);
    }
  });

  it('has no unused tokens except padding and end', () => {
    const used = new Set(
      short.flatMap((item) => [compactPrompt(item), ...Object.values(item.traces!)].flatMap(hiTomTokens)),
    );
    expect(vocabulary.filter((word) => !used.has(word))).toEqual(['<pad>', '<eos>']);
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

describe('short Hi-ToM stories', () => {
  it('have one chapter and a prompt of limited length', () => {
    const length = (item: Item): number => encode(compactPrompt(item)).length;
    expect(Math.max(...short.map(length))).toBeLessThanOrEqual(SHORT_PROMPT);
    expect([...new Set(short.map(({ kind }) => kind))].sort()).toEqual(['length-1 told', 'length-1 untold']);
  });

  it('have traces of limited length', () => {
    expect(Math.max(...short.map((item) => encode(item.traces!.full!).length))).toBeLessThan(160);
  });
});
