import { openAsBlob, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseModelConfig } from '../../../src/model/config';
import { parameterCount } from '../../../src/model/files/tensor-table';
import { knownModelConfig } from '../../../src/run/config/known-models';
import { presets } from '../../../src/run/config/presets';
import { openSource } from '../../../src/model/source/source';
import { hasShared, sharedPath } from '../../fixtures/shared';
import { realModelFile } from '../../real/model';

const { model } = presets['tom-rl'];
const published = 'fixtures/qwen25-tokenizer/config.json';

it('the models of the presets are known, and no others', () => {
  expect(parameterCount(parseModelConfig(knownModelConfig(model)))).toBe(494_032_768);
  expect(knownModelConfig({ ...model, revision: 'a'.repeat(40) } as typeof model)).toBeNull();
  expect(knownModelConfig({ kind: 'files', name: 'model' })).toBeNull();
  for (const preset of Object.values(presets))
    expect([preset.preset, preset.model.kind === 'embedded' || knownModelConfig(preset.model) !== null]).toEqual([preset.preset, true]); // prettier-ignore
});

it.skipIf(!hasShared(published))('the papers’ model is known as its file says', () => {
  const file = JSON.parse(readFileSync(sharedPath(published), 'utf8')) as unknown;
  expect(parseModelConfig(knownModelConfig(model))).toEqual(parseModelConfig(file));
});

it.skipIf(!hasShared(realModelFile))('the first run’s model is known as its file says', async () => {
  const files = await openSource({ files: { 'model.gguf': await openAsBlob(sharedPath(realModelFile)) } });
  const { model: first } = presets['first-run-135m'];
  expect(parseModelConfig(knownModelConfig(first))).toEqual(
    parseModelConfig(await files.json('config.json')),
  );
});
