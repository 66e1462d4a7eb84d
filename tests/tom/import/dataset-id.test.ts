import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { datasetNameOf, identifyDataset, nameOfId } from '../../../src/tom/import/dataset-id';
import type { Item } from '../../../src/tom/item';
import { plainItem } from '../items';

const itemsWith = (story: string, count: number): Item[] =>
  Array.from({ length: count }, (_, index) =>
    plainItem({ id: `own:${index}`, story, question: `Where is Ann at ${index}?`, answer: 'hall', order: 0 }),
  );

describe('the id of a data set', () => {
  it('is the hash of its items’ content, one per line, since links contain it', async () => {
    const items = itemsWith('Ann entered the hall – really.', 3);
    const lines = items.map(({ dataset, story, question, answer, order }) =>
      JSON.stringify([dataset, story, question, answer, order, []]),
    );
    const hash = createHash('sha256').update(lines.join('\n')).digest('hex');
    const identity = await identifyDataset('own', items);
    expect(identity.id).toBe(`own-${hash.slice(0, 16)}`);
    expect(identity.bytes).toBe(Buffer.byteLength(lines.join('\n')));
  });

  it('begins with the name of the file, shortened to the letters of a link', async () => {
    const files = ['my stories.v2.csv', '.csv', `${'x'.repeat(99)}.json`];
    const names = files.map(datasetNameOf);
    expect(names).toEqual(['my stories.v2', 'data', 'x'.repeat(60)]);
    const ids = await Promise.all([...names, '—'].map((name) => identifyDataset(name, [])));
    expect(ids.map(({ id }) => nameOfId(id))).toEqual(['my-stories.v2', 'data', 'x'.repeat(40), 'data']);
  });

  it('differs for other lists of right and wrong names', async () => {
    const [item] = itemsWith('', 1);
    const idOf = async (scoring?: Item['scoring']) =>
      (await identifyDataset('own', [{ ...item, scoring }])).id;
    const lists = [[['Ann'], ['Bob']], [['Ann'], ['Cid']], [['Ann', 'Bob'], []]]; // prettier-ignore
    const rules = lists.map(([right, wrong]) => ({ rule: 'names', right, wrong }) as const);
    const ids = await Promise.all([undefined, ...rules].map(idOf));
    expect(new Set(ids).size).toBe(4);
    expect(await idOf({ rule: 'number' })).toBe(ids[0]);
  });
});
