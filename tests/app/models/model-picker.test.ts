/** Settings of the form after a model is chosen. */
import { signal } from '@preact/signals';
import { h } from 'preact';
import { describe, expect, it, vi } from 'vitest';
import {
  awaitModel,
  chosenFiles,
  ModelDetails,
  ModelSelect,
  withModel,
} from '../../../src/app/models/model-picker';
import type { Faults } from '../../../src/app/page/form-store';
import type { RunConfig } from '../../../src/run/config/config';
import { embeddedModels } from '../../../src/run/config/model-config';
import { firstRunOf, presets } from '../../../src/run/config/presets';
import { drawn } from '../../fixtures/little-dom';
import { refusalOf, refusalTextOf } from '../../model/refusal';
import { pageOf } from '../page-of';

const first = presets['first-run-135m'];
const small = presets['first-run-0.5b'];
const smolFile = { kind: 'files', name: 'smollm2-135m-instruct.q4_1.gguf' } as const;
const linked: RunConfig = { ...first, steps: 3, model: { kind: 'files', name: 'somewhere' } };
const toy = { kind: 'embedded', name: 'ladder-12k' } as const;

describe('a model from elsewhere', () => {
  const chosen = (repository: string, before: RunConfig = presets['ladder-25k']) =>
    withModel({ ...before, seed: 9 }, { kind: 'hub', repository, revision: 'a'.repeat(40) });

  it('gets the settings of a first run, and the adapter that ships where it was made for it', () => {
    const smol = chosen('HuggingFaceTB/SmolLM2-135M-Instruct');
    expect(smol).toEqual({ ...first, seed: 9, model: smol.model });
    const other = chosen('marble/toy');
    expect(other).toEqual({ ...small, seed: 9, model: other.model });
    expect(firstRunOf(smolFile)).toBe(first);
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

  it.each([
    ['takes the first run of a known model in place of that of another one', small, smolFile, first],
    [
      'keeps the settings of a link of other files, whose adapter is meant for those',
      linked,
      smolFile,
      linked,
    ],
    ['leaves its settings where an embedded one is chosen', first, toy, presets['ladder-12k']],
  ] as const)('%s', (_, before, model, settings) => {
    expect(withModel({ ...before, seed: 9 }, model)).toEqual({ ...settings, seed: 9, model });
  });
});

it('the boxes of a model follow the model of a run that is opened', async () => {
  const settingsOf = (name: string): RunConfig => ({
    ...small,
    model: { kind: 'hub', repository: `owner/${name}`, revision: 'a'.repeat(40) },
  });
  const draft = signal(settingsOf('one'));
  const form = { draft, faults: signal(new Map()) };
  const shown = drawn(h(ModelDetails, { form, session: pageOf({}).session }));
  const [first] = shown.all('input');
  draft.value = settingsOf('two');
  // A box that was typed into keeps its text, so another one takes its place.
  await vi.waitFor(() => expect(shown.all('input')[0]).not.toBe(first));
  expect(shown.all('input')[0].getAttribute('defaultValue')).toBe('owner/two');
});

const named = (...names: string[]): File[] => names.map((name) => new File(['x'], name));

describe('files that are chosen as a model', () => {
  it.each([
    ['config.json', ['tokenizer.json', 'model.safetensors']],
    ['tokenizer.json', ['config.json', 'model.safetensors']],
    ['the weights (.safetensors)', ['config.json', 'tokenizer.json']],
    ['config.json', ['model.zip']],
    ['tokenizer.json', ['config.json', 'model.safetensors', 'model.gguf']],
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
    expect(chosenFiles([folder]).name).toBe('a.gguf'); // the folder may be of any name
  });
});

it('a model that is yet to be chosen keeps a run from beginning with the one before it', async () => {
  vi.stubGlobal('MARBLE_MODELS', Object.fromEntries(embeddedModels.map((name) => [name, 1000])));
  const form = {
    draft: signal(small),
    faults: signal<Faults>(new Map([['steps', { message: 'too many' }]])),
  };
  const [list] = drawn(h(ModelSelect, { id: 'model', form })).all('select');
  for (const origin of ['hub', 'files'] as const) {
    awaitModel(form, origin);
    expect([...form.faults.value.keys()]).toEqual(['steps', `model.${origin}`]);
    await vi.waitFor(() => expect(list.getAttribute('value')).toBe(origin));
  }
  Object.assign(list, { value: small.preset }).dispatchEvent(new Event('change'));
  expect([...form.faults.value.keys()]).toEqual(['steps']);
});
