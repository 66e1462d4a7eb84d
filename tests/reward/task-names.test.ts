/** Names from outside never share a row of the results with built-in tasks. */
import { expect, it } from 'vitest';
import { generatorNames } from '../../src/tom/worlds/generate';
import { suiteRows, taskNames } from '../../src/reward/suites';
import { importDataset } from '../../src/tom/import/import-dataset';

it('a data set of the user has a separate row under any name', async () => {
  const rows = [{ story: 'Anne has a ball.', question: 'Where is it?', answer: 'box', order: 1 }];
  const names = [...taskNames, ...generatorNames().flatMap(({ datasets }) => datasets)];
  const known = names.map((one) => one.toLowerCase());
  for (const name of names.flatMap((one) => [one, one.toUpperCase(), ` ${one} `])) {
    const { items } = await importDataset(new Blob([JSON.stringify(rows)]), { name });
    for (const { task } of suiteRows(
      items.map((item) => ({ item, answer: null })),
      () => false,
    )) {
      expect(known, name).not.toContain(task.trim().toLowerCase());
    }
  }
  const { dataset } = (await importDataset(new Blob([JSON.stringify(rows)]), { name: 'my stories' }))
    .items[0];
  expect(dataset).toBe('my stories');
});
