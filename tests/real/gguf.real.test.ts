import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseModelConfig } from '../../src/model/config';
import { openWeights } from '../../src/model/files/weights-reader';
import { bfloat16Of } from '../../src/model/files/half-floats';
import { openSource, type ModelFiles } from '../../src/model/source/source';
import { folderForAll } from '../fixtures/folder';
import { sharedPath } from '../fixtures/shared';
import { hasRealModel, realModelFile, writeRealModel } from './model';

const folder = folderForAll('gguf');

it.skipIf(!hasRealModel())(
  'a GGUF file equals the folder that transformers makes from it, bit for bit',
  async () => {
    writeRealModel(folder);
    const names = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'model.safetensors'];
    const blobs = names.map(async (name) => [name, await openAsBlob(join(folder, name))] as const);
    const expected = await openSource({ files: Object.fromEntries(await Promise.all(blobs)) });
    const files = await openSource({ files: { 'model.gguf': await openAsBlob(sharedPath(realModelFile)) } });

    const config = (from: ModelFiles) => from.json('config.json').then((json) => parseModelConfig(json));
    expect(await config(files)).toEqual(await config(expected));
    const { head_dim, ...stated } = (await files.json('config.json')) as Record<string, unknown>;
    expect(head_dim).toBe(64); // the folder's config omits it, so it is computed
    expect(await expected.json('config.json')).toMatchObject(stated);
    expect(await files.json('tokenizer.json')).toEqual(await expected.json('tokenizer.json'));
    const tokenizerConfig = (await files.json('tokenizer_config.json')) as object;
    expect(Object.keys(tokenizerConfig)).toContain('chat_template');
    expect(await expected.json('tokenizer_config.json')).toMatchObject(tokenizerConfig);

    const weights = await openWeights(files);
    const published = await openWeights(expected);
    expect([...weights.keys()].sort()).toEqual([...published.keys()].sort());
    for (const [name, { shape, read }] of published) {
      const widened = weights.get(name)!;
      expect([name, ...widened.shape]).toEqual([name, ...shape]);
      const bytes = new Uint8Array(bfloat16Of(await widened.read(), 'F32').buffer);
      expect([name, Buffer.compare(bytes, await read())]).toEqual([name, 0]);
    }
  },
);
