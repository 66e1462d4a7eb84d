import { describe, expect, it } from 'vitest';
import { chosenFiles } from '../../../src/app/models/chosen-files';
import { keptWords } from '../../../src/app/models/download-screen';
import { withModelFault } from '../../../src/app/models/model-picker';
import { refusalOf, refusalTextOf } from '../../model/refusal';

const named = (...names: string[]): File[] => names.map((name) => new File(['x'], name));

describe('files that are chosen as a model', () => {
  it.each([
    ['config.json', ['tokenizer.json', 'model.safetensors']],
    ['tokenizer.json', ['config.json', 'model.safetensors']],
    ['the weights (.safetensors)', ['config.json', 'tokenizer.json']],
    ['config.json', ['model.zip']],
  ])('are refused without %s', async (lacking, names) => {
    const choose = (): unknown => chosenFiles(named(...names));
    expect(await refusalOf(choose)).toBe('app/no-model');
    expect(await refusalTextOf(choose)).toMatch(`not include ${lacking}.`);
  });

  it('are taken where all are there', () => {
    const { name } = chosenFiles(named('config.json', 'tokenizer.json', 'my model.safetensors'));
    expect(name).toBe('my-model.safetensors');
    expect(chosenFiles(named('my model.gguf')).name).toBe('my-model.gguf');
    const within = { value: 'own/a.gguf' };
    const folder = Object.defineProperty(new File(['x'], 'a.gguf'), 'webkitRelativePath', within);
    expect(chosenFiles([folder]).name).toBe('own');
  });

  it('are refused if they hold a GGUF file and weights without a tokenizer', async () => {
    const names = named('config.json', 'model.safetensors', 'model.gguf');
    expect(await refusalTextOf(() => chosenFiles(names))).toContain('tokenizer.json');
  });
});

it('a model that is partly or wholly kept says how much of it', () => {
  const words = [25e6, 5e6, 0].map((missing) => keptWords(25e6, missing));
  expect(words).toEqual(['', ' 20 MB of its 25 MB are kept here.', ' All of its 25 MB are kept here.']);
});

it('a model that is yet to be chosen keeps a run from beginning with the one before it', () => {
  const faulty = withModelFault(new Map([['steps', 'too many']]), 'No model has been chosen.');
  expect([...faulty.keys()]).toEqual(['steps', 'model']);
  expect([...withModelFault(faulty, null).keys()]).toEqual(['steps']);
});
