/** A byte-level BPE tokenizer over letters with one merge, defined inline. */
import { parseChatTemplate } from '../../../src/model/tokenizer/parse-chat-template';
import { createTokenizer, namedTokens, type Tokenizer } from '../../../src/model/tokenizer/tokenizer';

export const bytes = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));

export const tinyJson = {
  added_tokens: [
    { id: 200, content: '<|end|>', special: true, normalized: false },
    { id: 201, content: '<|fim_pad|>', special: false, normalized: false },
    { id: 202, content: '<think>', special: false, normalized: false },
  ],
  normalizer: null,
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, use_regex: false },
  post_processor: null,
  decoder: { type: 'ByteLevel' },
  model: {
    type: 'BPE',
    vocab: Object.fromEntries([...bytes, 'Ġ', 'Ċ', 'ab'].map((token, id) => [token, id])),
    merges: ['a b'],
  },
};

/** Creates the tokenizer of the tiny vocabulary with this configuration, which has a template. */
export const withTemplate = (config: Record<string, string>): Tokenizer =>
  createTokenizer(tinyJson, config, parseChatTemplate(config.chat_template, namedTokens(config)));

/** Ids of a text that a template writes, in which control tokens are encoded as such. */
export const renderedIds = (json: unknown, text: string): number[] =>
  createTokenizer(json, undefined, { render: () => text }).chat([]);
