import { expect, it } from 'vitest';
import { createClassStore } from '../../src/store/class-files';
import { createMemoryStore } from './memory-store';

it('the files of a class are read in their order, without an entry that is empty', async () => {
  const { use } = createMemoryStore();
  const store = createClassStore(use);
  await store.putClassFile({ run: 'a', place: 1, file: new File(['later'], '') });
  await use('readwrite', (objects) => void objects.put(null, ['class', 'b']));
  await store.putClassFile({ run: 'c', place: 0, file: new File(['earlier'], '') });
  const texts = (await store.classFiles()).map((file) => file.text());
  expect(await Promise.all(texts)).toEqual(['earlier', 'later']);
});
