import { expect, it } from 'vitest';
import type { DatasetRecord } from '../../../src/store/records';
import * as chosen from '../../../src/app/data/chosen-data';
import { presets } from '../../../src/run/config/presets';

const { trainedOn, withStories } = chosen;

it('training on an imported set and back leaves the model and its tests as they were', () => {
  const set = { id: 'own-0123456789abcdef', orders: [1] } as DatasetRecord;
  for (const config of [presets['ladder-12k'], presets['tom-rl']]) {
    const own = { ...config, evaluation: { ...config.evaluation, hardItems: 5 } };
    for (const before of [config, own]) {
      const { model, evaluation } = withStories(trainedOn(before, set), config.data.source);
      expect({ model, evaluation }).toEqual({ model: before.model, evaluation: before.evaluation });
    }
  }
});

it('other stories bring a model that reads them, keep one that reads any, and keep the imported tasks', () => {
  const toy = { ...presets['ladder-12k'], seed: 9 };
  const reads = (source: string) => {
    const { preset, model, data, seed } = withStories(toy, source);
    expect(seed).toBe(9);
    expect(data.source).toBe(source);
    return [preset, 'name' in model ? model.name : model.kind];
  };
  const imported = ['own-0123456789abcdef'];
  for (const source of ['swap', 'hitom-short', 'tomi']) {
    const asked = { ...toy, evaluation: { ...toy.evaluation, imported } };
    expect(withStories(asked, source).evaluation.imported).toEqual(imported);
  }
  expect(reads('swap')).toEqual(['ladder-12k', 'ladder-12k']);
  expect(reads('hitom-short-factual')).toEqual(['hitom-mini', 'hitom-mini']);
  expect(reads('tomi')).toEqual(['first-run-135m', 'hub']);
  expect(withStories(presets['hitom-mini'], 'swap').model).toEqual(presets['ladder-25k'].model);
  expect(withStories(presets['tom-rl'], 'swap').model).toEqual(presets['tom-rl'].model);
});
