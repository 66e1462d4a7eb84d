/** Settings of the form after a model is chosen. */
import { signal } from '@preact/signals';
import { h } from 'preact';
import { describe, expect, it, vi } from 'vitest';
import {
  chosenFiles,
  ModelDetails,
  takeFiles,
  withModel,
  withModelFault,
} from '../../../src/app/models/model-picker';
import { setField } from '../../../src/app/settings/form';
import type { RunConfig } from '../../../src/run/config/config';
import { firstRunOf, presets } from '../../../src/run/config/presets';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { refusalOf, refusalTextOf } from '../../model/refusal';
import { pageOf } from '../page-of';

const first = presets['first-run-135m'];
const small = presets['first-run-0.5b'];
describe('a model from elsewhere', () => {
  const chosen = (repository: string, before: RunConfig = presets['ladder-25k']) =>
    withModel({ ...before, seed: 9 }, { kind: 'hub', repository, revision: 'a'.repeat(40) });

  it('gets the settings of a first run, and the adapter that ships where it was made for it', () => {
    const smol = chosen('HuggingFaceTB/SmolLM2-135M-Instruct');
    expect(smol).toEqual({ ...first, seed: 9, model: smol.model });
    const other = chosen('marble/toy');
    expect(other).toEqual({ ...small, seed: 9, model: other.model });
    const files = { kind: 'files' as const, name: 'smollm2-135m-instruct.q4_1.gguf' };
    expect(firstRunOf(files)).toBe(first);
    expect(firstRunOf({ kind: 'files', name: 'SmolLM2-360M-Instruct' })).toBe(small);
  });

  it('keeps the settings that were chosen for another such model, unless they start from an adapter of that one', () => {
    const own = { ...presets['tom-rl'], steps: 7 };
    const llama = chosen('owner/llama', own);
    expect(llama).toEqual({ ...own, seed: 9, model: llama.model });
    const smol = chosen('HuggingFaceTB/SmolLM2-135M-Instruct', own);
    expect(smol).toEqual({ ...own, seed: 9, model: smol.model });
    const left = chosen('owner/llama', { ...first, steps: 7 });
    expect(left).toEqual({ ...small, seed: 9, model: left.model });
    const same = chosen('HuggingFaceTB/SmolLM2-135M-Instruct', { ...first, steps: 7 });
    expect(same).toMatchObject({ steps: 7, training: first.training });
  });

  it('takes the first run of a known model in place of that of another one', () => {
    const chosen = { kind: 'files', name: 'smollm2-135m-instruct.q4_1.gguf' } as const;
    expect(withModel({ ...small, seed: 9 }, chosen)).toEqual({ ...first, seed: 9, model: chosen });
  });

  it('keeps the settings of a link of other files, whose adapter is meant for those that are chosen', () => {
    const linked = { ...first, steps: 3, model: { kind: 'files', name: 'somewhere' } } as const;
    const chosen = { kind: 'files', name: 'SmolLM2-135M-Instruct.Q4_1' } as const;
    expect(withModel(linked, chosen)).toEqual({ ...linked, model: chosen });
  });

  it('leaves its settings where an embedded one is chosen', () => {
    expect(withModel(first, { kind: 'embedded', name: 'ladder-12k' })).toEqual({
      ...presets['ladder-12k'],
      seed: first.seed,
    });
  });
});

/** The boxes that name a model from elsewhere. @returns its settings, and the first of them */
function detailsOf(model: RunConfig['model']) {
  stubDocument();
  const draft = signal<RunConfig>({ ...small, model });
  const form = { draft, faults: signal(new Map()), pending: signal(null) };
  const shown = drawn(h(ModelDetails, { form, session: pageOf({}).session }));
  const [box] = shown.all('input').map((one) => Object.assign(one, { value: '' }));
  return { draft, shown, box };
}

it('the boxes of a model follow the model of a run that is opened', async () => {
  const modelOf = (name: string) =>
    ({ kind: 'hub', repository: `owner/${name}`, revision: 'a'.repeat(40) }) as const;
  const { draft, shown, box } = detailsOf(modelOf('one'));
  for (const name of ['two', 'three']) {
    await Promise.resolve();
    draft.value = { ...small, model: modelOf(name) };
    await vi.waitFor(() => expect(box.value).toMatch(new RegExp(`owner/${name}$`)));
  }
  shown.close();
  vi.unstubAllGlobals();
});

it.each([
  ['ladder-25k', 'data.reentry', []],
  ['first-run-135m', 'steps', []],
  ['tom-rl', 'steps', ['steps']],
])('of %s a fault of %s is as the settings that another model keeps', (preset, path, faulty) => {
  const form = { draft: signal<RunConfig>(presets[preset]), faults: signal(new Map<string, string>()) };
  expect(setField(form, path, 'none')).toBe(false);
  const chooseFiles = () => Promise.resolve();
  takeFiles(form, { chooseFiles }, [new File([], 'toy.gguf')]);
  expect(form.draft.value.model).toEqual({ kind: 'files', name: 'toy.gguf' });
  expect([...form.faults.value.keys()]).toEqual(faulty);
});

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

it('a model that is yet to be chosen keeps a run from beginning with the one before it', () => {
  const faulty = withModelFault(new Map([['steps', 'too many']]), 'No model has been chosen.');
  expect([...faulty.keys()]).toEqual(['steps', 'model']);
  expect([...withModelFault(faulty, null).keys()]).toEqual(['steps']);
});
