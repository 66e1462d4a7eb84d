import { expect, it } from 'vitest';
import { openSource } from '../../../src/model/source/source';
import { surveyModel } from '../../../src/model/files/weights-reader';
import { startHub } from '../../fixtures/servers/hub-server';

const shards = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'];
const index = { weight_map: { a: shards[0], b: shards[1], c: shards[0] } };
const sizes = { 'config.json': 30, 'tokenizer.json': 20, [shards[0]]: 1000, [shards[1]]: 500 };
const unused = { 'README.md': 7, 'other.safetensors': 10_000 };

it('a survey of a repository counts the files of loading without fetching any weights', async () => {
  const contents = Object.entries({ ...sizes, ...unused }).map(([name, size]) => [
    name,
    new Uint8Array(size),
  ]);
  const json = new TextEncoder().encode(JSON.stringify(index));
  const hub = await startHub({
    files: { ...(Object.fromEntries(contents) as object), 'model.safetensors.index.json': json },
  });
  const source = { hub: hub.repository, revision: hub.revision };
  const survey = await surveyModel(await openSource(source, { hubEndpoint: hub.endpoint }));
  const expected = { ...sizes, 'model.safetensors.index.json': json.length };
  expect(Object.fromEntries(survey.files.map(({ name, size }) => [name, size]))).toEqual(expected);
  expect(survey.files).toHaveLength(5);
  expect(survey.bytes).toBe(1550 + json.length);
  expect(hub.requests.some(({ place }) => place === 'storage')).toBe(false);
  await hub.close();
});
