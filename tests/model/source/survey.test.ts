import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSource } from '../../../src/model/source/source';
import { surveyModel } from '../../../src/model/source/survey';
import { halfBillionConfig } from '../../fixtures/half-billion';
import { startHub, type HubServer } from '../../fixtures/servers/hub-server';

const qwenJson = halfBillionConfig();

describe('a survey of a repository', () => {
  let hub: HubServer;
  const text = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  const shard = (size: number): Uint8Array => new Uint8Array(size);
  beforeAll(async () => {
    hub = await startHub({
      files: {
        'config.json': text(qwenJson),
        'generation_config.json': text({}),
        'tokenizer.json': text({}),
        'README.md': text('not counted'),
        'model.safetensors.index.json': text({
          weight_map: { a: 'model-00001-of-00002.safetensors', b: 'model-00002-of-00002.safetensors' },
        }),
        'model-00001-of-00002.safetensors': shard(1000),
        'model-00002-of-00002.safetensors': shard(500),
        'other.safetensors': shard(10_000),
      },
    });
  });
  afterAll(() => hub.close());

  it('counts the files of loading without fetching any weights', async () => {
    const files = await openSource(
      { hub: hub.repository, revision: hub.revision },
      { hubEndpoint: hub.endpoint, retryDelay: 1 },
    );
    const survey = await surveyModel(files);
    const names = [
      ...['config.json', 'generation_config.json', 'tokenizer.json', 'model.safetensors.index.json'],
      ...['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'],
    ];
    expect(survey.files).toEqual(names.map((name) => ({ name, size: files.listing!.get(name)!.size })));
    expect(survey.bytes).toBe(survey.files.reduce((sum, { size }) => sum + size, 0));
    expect(hub.requests.some(({ place }) => place === 'storage')).toBe(false);
  });
});
