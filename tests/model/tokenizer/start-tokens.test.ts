import { describe, expect, it } from 'vitest';
import { exportRun } from '../../../src/export/cluster/export-run';
import { createTokenizer } from '../../../src/model/tokenizer/tokenizer';
import { renderPrompt } from '../../../src/rl/rollout';
import type { RunConfig } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import { compactPrompt } from '../../../src/tom/text/prompts';
import { generateDataset } from '../../../src/tom/worlds/generate';
import { hasShared, sharedFiles } from '../../fixtures/shared';
import { refusalOf, refusalTextOf } from '../refusal';
import { bytes, tinyJson, withTemplate } from './tiny-tokenizer';

const special = (id: string): object => ({ SpecialToken: { id, type_id: 0 } });
const text = { Sequence: { id: 'A', type_id: 0 } };
const end = { id: '<|end|>', ids: [200], tokens: ['<|end|>'] };
const template = {
  type: 'TemplateProcessing',
  single: [special('<|end|>'), text],
  pair: [],
  special_tokens: { '<|end|>': end },
};
const byteLevel = { type: 'ByteLevel', trim_offsets: false };
const withProcessor = (post_processor: unknown, config?: object) =>
  createTokenizer({ ...tinyJson, post_processor }, config);
const spec = { source: 'swap', orders: [1], dropShortcutRight: 0, reentry: true };
const a = bytes.indexOf('a');

describe('the tokens before a text', () => {
  it.each([
    ['TemplateProcessing', template],
    ['a sequence that holds it (Llama 3)', { type: 'Sequence', processors: [byteLevel, template] }],
    ['RobertaProcessing', { type: 'RobertaProcessing', cls: ['<|end|>', 200], sep: ['<|end|>', 200] }],
    [
      'a template that also ends the text',
      { ...template, single: [special('<|end|>'), text, special('<|end|>')] },
    ],
  ])('are those of %s', (_, processor) => {
    const tokenizer = withProcessor(processor);
    expect(tokenizer.encode('a', { start: true })).toEqual([200, a]);
    expect(tokenizer.encode('a')).toEqual([a]);
  });

  it('are those of add_bos_token if the post-processor has none, else those of the post-processor', () => {
    const bos = { add_bos_token: true, bos_token: '<|end|>' };
    for (const none of [null, byteLevel, { ...template, single: [text] }]) {
      expect(withProcessor(none, bos).encode('a', { start: true })).toEqual([200, a]);
      expect(withProcessor(none).encode('a', { start: true })).toEqual([a]);
    }
    const off = { add_bos_token: false, bos_token: '<|end|>' };
    expect(withProcessor(template, off).encode('a', { start: true })).toEqual([200, a]);
  });

  it('are rejected by name if the tokenizer lacks them', async () => {
    const unknown = { ...template, special_tokens: { '<|end|>': { ...end, ids: [300] } } };
    expect(await refusalTextOf(() => withProcessor(unknown))).toContain('300');
    const unnamed = { ...template, special_tokens: {} };
    expect(await refusalTextOf(() => withProcessor(unnamed))).toContain('<|end|>');
    const lacking = { add_bos_token: true, bos_token: '<s>' };
    expect(await refusalTextOf(() => withProcessor(null, lacking))).toContain('<s>');
    expect(await refusalOf(() => withProcessor({ ...template, single: 'A' }))).toBe('model/tokenizer-json');
  });

  it('start the prompt of a base model, as text and as ids, and not that of a chat template', () => {
    const [item] = generateDataset({ ...spec, count: 1, seed: 1 });
    const base = withProcessor(template);
    const { text: prompt, ids } = renderPrompt(item, base);
    expect(prompt).toBe(`<|end|>${compactPrompt(item)}`);
    expect(ids).toEqual(base.encode(prompt, { special: true }));
    const chat = withTemplate({ chat_template: "{{ messages[1]['content'] }}" });
    expect(renderPrompt(item, chat).ids[0]).not.toBe(200);
  });
});

const folder = 'cases/base-without-bos';
describe.skipIf(!hasShared(folder))('the export of a model whose tokenizer has a BOS', () => {
  const names = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'];
  it.each([
    ['model', names, true],
    ['model-chat', [...names, 'chat_template.jinja'], false],
  ])('starts each prompt with it once (%s)', async (name, files, ownStart) => {
    const base = presets['ladder-25k'];
    const config: RunConfig = {
      ...base,
      steps: 2,
      model: { kind: 'files', name: 'x' },
      evaluation: { ...base.evaluation, items: 6, finalItems: 6, validationItems: 0, taskItems: 0 },
    };
    const modelFiles = sharedFiles(`${folder}/${name}`, files).files;
    const run = await exportRun(config, { to: 'trl', modelFiles });
    const jsonOf = (file: string): unknown => JSON.parse(new TextDecoder().decode(run.files.get(file)));
    const { texts, ids } = jsonOf('first-prompts.json') as { texts: string[]; ids: number[][] };
    texts.forEach((prompt, index) => {
      expect(prompt.lastIndexOf('<|begin_of_text|>')).toBe(0);
      expect(ids[index].filter((id) => id === 0)).toHaveLength(1);
      expect(ids[index][0]).toBe(0);
    });
    const { post_processor: processor } = jsonOf('tokenizer/tokenizer.json') as { post_processor: unknown };
    expect(processor !== null).toBe(ownStart);
  });
});
