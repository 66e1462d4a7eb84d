/** Converts the byte-level BPE tokenizer of a GGUF file to tokenizer.json and tokenizer_config.json. */
import { shown } from '../../../base/untrusted';
import { refuse, type GgufHeader } from './header';

const byteLevel = (useRegex: boolean): object => ({
  type: 'ByteLevel',
  add_prefix_space: false,
  trim_offsets: true,
  use_regex: useRegex,
});

/** Pre-tokenizer that splits by a pattern; `digits` is the pattern for groups of digits. */
function split(digits: string): object {
  const pattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;
  const part = { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false };
  return { type: 'Sequence', pretokenizers: [part, byteLevel(false)] };
}

interface Splitting {
  preTokenizer: object;
  normalizer?: object;
  /** True for Llama: a word in the vocabulary is one token regardless of the merges, and a text starts with BOS. */
  llama?: boolean;
}

const qwen: Splitting = { preTokenizer: split('\\p{N}'), normalizer: { type: 'NFC' } };

/** Pre-tokenizers by `tokenizer.ggml.pre` (llama.cpp, `llama-vocab.cpp`). */
const SPLITTINGS: Record<string, Splitting> = {
  'gpt-2': { preTokenizer: byteLevel(true) },
  smollm: {
    preTokenizer: {
      type: 'Sequence',
      pretokenizers: [{ type: 'Digits', individual_digits: true }, byteLevel(true)],
    },
  },
  qwen2: qwen,
  'deepseek-r1-qwen': qwen,
  'llama-bpe': { preTokenizer: split('\\p{N}{1,3}'), llama: true },
};

/** Kinds of tokens (`llama_token_type`). */
const CONTROL = 3;
const USER_DEFINED = 4;
/** Padding of the vocabulary up to the rows of the embedding. */
const UNUSED = 5;

/** @throws MarbleError `model/gguf-tokenizer` with the name of an unsupported tokenizer or pre-tokenizer */
export function describeTokenizer({ fields }: GgufHeader): { tokenizer: object; tokenizerConfig: object } {
  const field = (name: string): unknown => fields.get(`tokenizer.ggml.${name}`);
  const list = (name: string): unknown[] => {
    const values = field(name);
    if (Array.isArray(values)) return values as unknown[];
    throw refuse('tokenizer', `tokenizer.ggml.${name} is ${shown(values)}, not a list.`);
  };
  const model = field('model');
  if (model !== 'gpt2') {
    const kind = model === 'llama' ? ' (SentencePiece)' : '';
    throw refuse(
      'tokenizer',
      `tokenizer.ggml.model is ${shown(model)}${kind}; Marble reads gpt2 (byte-level BPE).`,
    );
  }
  const pre = field('pre');
  if (typeof pre !== 'string' || !Object.hasOwn(SPLITTINGS, pre)) {
    const known = Object.keys(SPLITTINGS).join(', ');
    throw refuse('tokenizer', `tokenizer.ggml.pre is ${shown(pre)}; Marble reads ${known}.`);
  }
  const { preTokenizer, normalizer = null, llama = false } = SPLITTINGS[pre];
  const tokens = list('tokens');
  const kinds = list('token_type');
  const vocabulary = new Map<unknown, number>();
  tokens.forEach((token, id) => kinds[id] !== UNUSED && vocabulary.set(token, id));
  if (vocabulary.size !== kinds.filter((kind) => kind !== UNUSED).length || kinds.length !== tokens.length) {
    throw refuse(
      'tokenizer',
      'tokenizer.ggml.tokens contains a token twice, or does not match tokenizer.ggml.token_type.',
    );
  }
  const added = tokens.flatMap((content, id) =>
    kinds[id] === CONTROL || kinds[id] === USER_DEFINED
      ? [
          {
            id,
            content,
            single_word: false,
            lstrip: false,
            rstrip: false,
            normalized: false,
            special: kinds[id] === CONTROL,
          },
        ]
      : [],
  );
  const named = (role: string): unknown => {
    const id = field(`${role}_token_id`);
    return typeof id === 'number' ? tokens[id] : undefined;
  };
  return {
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: added,
      normalizer,
      pre_tokenizer: preTokenizer,
      post_processor: null,
      decoder: { ...byteLevel(true), add_prefix_space: true },
      model: {
        type: 'BPE',
        dropout: null,
        unk_token: null,
        continuing_subword_prefix: null,
        end_of_word_suffix: null,
        fuse_unk: false,
        byte_fallback: false,
        ignore_merges: llama,
        vocab: Object.fromEntries(vocabulary) as Record<string, number>,
        merges: list('merges'),
      },
    },
    tokenizerConfig: {
      add_bos_token: (field('add_bos_token') ?? llama) === true ? true : undefined,
      bos_token: named('bos'),
      eos_token: named('eos'),
      pad_token: named('padding'),
      unk_token: named('unknown'),
      chat_template: fields.get('tokenizer.chat_template'),
    },
  };
}
