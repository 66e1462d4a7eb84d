/** Files of models. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseModelConfig, type ModelConfig } from '../../src/model/config';

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

/** The sizes of a model that ships with the page. */
export const embeddedConfig = (name: string): ModelConfig =>
  parseModelConfig(JSON.parse(readFileSync(`${folder}${name}/config.json`, 'utf8')));

/** The tokenizer of a model that ships with the page. */
export const embeddedTokenizer = (name: string): WordTokenizer =>
  JSON.parse(readFileSync(`${folder}${name}/tokenizer.json`, 'utf8')) as WordTokenizer;
