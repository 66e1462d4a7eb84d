/** The files of a model as an export takes them. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../public/models/', import.meta.url));

/** Of a model that ships with the page. */
export function embeddedFiles(name: string): Record<string, Blob> {
  return Object.fromEntries(
    readdirSync(`${folder}${name}`)
      .filter((file) => file !== 'README.md' && file !== 'trained')
      .map((file) => [file, new Blob([new Uint8Array(readFileSync(`${folder}${name}/${file}`))])]),
  );
}

/** A tokenizer of single bytes with a chat template, in the place of a large model's. */
export function byteTokenizerFiles(): Record<string, Blob> {
  const characters = bytesAsCharacters();
  const vocab = Object.fromEntries(
    [...characters, '<|im_start|>', '<|im_end|>'].map((token, id) => [token, id]),
  );
  const special = (content: string, id: number): object => ({ id, content, special: true, normalized: false, lstrip: false, rstrip: false, single_word: false }); // prettier-ignore
  const tokenizer = {
    version: '1.0',
    added_tokens: [special('<|im_start|>', 256), special('<|im_end|>', 257)],
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: { type: 'BPE', vocab, merges: [], unk_token: null, fuse_unk: false, byte_fallback: false },
  };
  const template =
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";
  const config = { tokenizer_class: 'Qwen2Tokenizer', eos_token: '<|im_end|>', chat_template: template };
  return {
    'tokenizer.json': new Blob([JSON.stringify(tokenizer)]),
    'tokenizer_config.json': new Blob([JSON.stringify(config)]),
  };
}

/** GPT-2's letter for each byte. */
function bytesAsCharacters(): string[] {
  const printable = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let extra = 0;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(printable(byte) ? byte : 256 + extra++),
  );
}
