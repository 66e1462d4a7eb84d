import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/model/policy';
import { openSource } from '../../../src/model/source/source';
import { createTokenizer, type Tokenizer } from '../../../src/model/tokenizer/tokenizer';
import { readTokenizer } from '../../../src/model/tokenizer/tokenizer';
import { encodePrompt } from '../../../src/rl/rollout';
import { generateDataset } from '../../../src/tom/worlds/generate';
import { hasShared, sharedFiles } from '../../fixtures/shared';
import { refusalOf, refusalTextOf } from '../refusal';
import { tinyConfig } from '../tiny';
import { bytes, tinyJson } from './tiny-tokenizer';

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
const [item] = generateDataset({ ...spec, count: 1, seed: 1 });
const promptIds = (tokenizer: Tokenizer): number[] =>
  encodePrompt({ tokenizer, config: { ...tinyConfig, maxPositions: 1e6 } } as Policy, item, 8);

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
});

const folder = 'cases/base-without-bos';
describe.skipIf(!hasShared(folder))('a model whose tokenizer has a BOS', () => {
  const names = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'];
  it.each([
    ['model', names],
    ['model-chat', [...names, 'chat_template.jinja']],
  ])('starts its prompt with it once (%s)', async (name, files) => {
    const tokenizer = await readTokenizer(await openSource(sharedFiles(`${folder}/${name}`, files)));
    const ids = promptIds(tokenizer);
    expect(tokenizer.decode(ids, { keepSpecial: true }).lastIndexOf('<|begin_of_text|>')).toBe(0);
    expect(ids.lastIndexOf(0)).toBe(0);
  });
});
