/** Files of models for exports. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../public/models/', import.meta.url));

/** Files of a model that ships with the page. */
export function embeddedFiles(name: string): Record<string, Blob> {
  return Object.fromEntries(
    readdirSync(`${folder}${name}`)
      .filter((file) => file !== 'README.md' && file !== 'trained')
      .map((file) => [file, new Blob([new Uint8Array(readFileSync(`${folder}${name}/${file}`))])]),
  );
}

/** A tokenizer of whole words, as its `tokenizer.json`. */
interface WordTokenizer {
  added_tokens: Record<string, unknown>[];
  model: { vocab: Record<string, number> };
}

/** The tokenizer of a model that ships with the page. */
export const embeddedTokenizer = (name: string): WordTokenizer =>
  JSON.parse(readFileSync(`${folder}${name}/tokenizer.json`, 'utf8')) as WordTokenizer;

/** A tokenizer that maps every word to <unk>, with a chat template, as a substitute for that of a large model. */
export function chatTokenizerFiles(): Record<string, Blob> {
  const vocab = { '<unk>': 0, '<|im_end|>': 1, '<|im_start|>': 2 };
  const special = (content: string, id: number): object => ({ id, content, special: true, normalized: false, lstrip: false, rstrip: false, single_word: false }); // prettier-ignore
  const tokenizer = {
    version: '1.0',
    added_tokens: Object.entries(vocab).map(([token, id]) => special(token, id)),
    normalizer: null,
    pre_tokenizer: { type: 'WhitespaceSplit' },
    post_processor: null,
    decoder: null,
    model: { type: 'WordLevel', vocab, unk_token: '<unk>' },
  };
  const template =
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";
  const config = { tokenizer_class: 'Qwen2Tokenizer', eos_token: '<|im_end|>', chat_template: template };
  return {
    'tokenizer.json': new Blob([JSON.stringify(tokenizer)]),
    'tokenizer_config.json': new Blob([JSON.stringify(config)]),
  };
}
