/** Promises of the presets for real models. */
import { openAsBlob, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseModelConfig } from '../../../src/model/config';
import { parameterCount } from '../../../src/model/files/tensor-table';
import { knownModelConfig } from '../../../src/run/config/known-models';
import { openSource } from '../../../src/model/source/source';
import { hasShared, sharedPath } from '../../fixtures/shared';
import { realModelFile } from '../../real/model';
import { isEvaluatedAt, isStartEvaluatedLater } from '../../../src/run/config/evaluation-plan';
import { presets } from '../../../src/run/config/presets';
import { usesReference } from '../../../src/objective/algorithm';

const first = presets['first-run-135m'];
const small = presets['first-run-0.5b'];

it.each([
  [first.preset, first, [0, 4, 8, 12]],
  [small.preset, small, [0, 40, 52]],
])(
  'a first run has no KL, and is evaluated at both ends and after its warm start, step 0 later: %s',
  (_, config, expected) => {
    expect(usesReference(config.algorithm)).toBe(false);
    expect([config, presets['tom-rl']].map(isStartEvaluatedLater)).toEqual([true, false]);
    const steps = Array.from({ length: config.steps + 1 }, (_, step) => step);
    expect(steps.filter((step) => isEvaluatedAt(step, config))).toEqual(expected);
  },
);

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
  expect(parseModelConfig(knownModelConfig(first.model))).toEqual(
    parseModelConfig(await files.json('config.json')),
  );
});
