/**
 * Checks a `tokenizer.json` (huggingface/tokenizers) before it is passed to the library that encodes
 * (@huggingface/tokenizers). The library silently misinterprets some settings; this file rejects them by name. The library
 * reports its other limits itself.
 */
import { MarbleError } from '../../base/error';
import { patternFault } from '../../base/pattern-limits';
import { isRecord, shown } from '../../base/untrusted';

type Fields = Record<string, unknown>;

export interface AddedToken {
  id: number;
  content: string;
  /** True if white space before the token belongs to it. */
  lstrip: boolean;
  /** True if white space after the token belongs to it. */
  rstrip: boolean;
  /** True for a token that only the model or its template may write. It is not encoded from text and omitted in decoding. */
  control: boolean;
}

export interface TokenizerJson {
  /** The parsed file, for the library. */
  json: Fields & { model: Fields & { vocab: Record<string, number> } };
  addedTokens: AddedToken[];
  /** Token for words outside the vocabulary; null without one. */
  unknownToken: string | null;
  /** Ids that the post-processor prepends to a text. Its trailing tokens are not used, since they would end a prompt. */
  startIds: number[];
  /** One more than the largest id. */
  vocabularySize: number;
}

const MOST_TOKENS = 4_194_304;
const MOST_ADDED_TOKENS = 16_384;
const LONGEST_ADDED_TOKEN = 512;
const DEEPEST_SEQUENCE = 4;
const LONGEST_PATTERN = 4096;
/** Limits on what normalizers and decoders insert: a sequence of replacements that grow would be exponential. */
const LONGEST_INSERTED = 64;
const MOST_GROWING = 2;
const MOST_START_IDS = 16;

function refuse(kind: string, message: string, cause?: unknown): MarbleError {
  return new MarbleError(
    `model/tokenizer-${kind}`,
    `tokenizer.json: ${message}`,
    'Choose a model with a byte-level or SentencePiece BPE tokenizer saved by Hugging Face tokenizers, as Qwen and Llama have.',
    { cause },
  );
}

function isTokenId(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < MOST_TOKENS;
}

/** Reads the vocabulary as a map from id to token. */
function readVocabulary(vocab: unknown): Map<number, string> {
  if (!isRecord(vocab)) throw refuse('json', 'model.vocab is not an object of tokens and ids.');
  const tokens = new Map<number, string>();
  for (const [token, id] of Object.entries(vocab)) {
    if (!isTokenId(id)) throw refuse('json', `the id of ${shown(token)} is ${shown(id)}.`);
    if (tokens.has(id))
      throw refuse('json', `id ${id} is both ${shown(tokens.get(id))} and ${shown(token)}.`);
    tokens.set(id, token);
  }
  return tokens;
}

function checkMerges(merges: unknown): void {
  if (!Array.isArray(merges) || merges.length > MOST_TOKENS)
    throw refuse('json', 'model.merges is not a list.');
  const pairs = Array.isArray(merges[0]);
  for (const merge of merges as unknown[]) {
    const well = pairs
      ? Array.isArray(merge) && merge.length === 2 && merge.every((part) => typeof part === 'string')
      : typeof merge === 'string' && merge.split(' ').length === 2;
    if (!well) throw refuse('json', `${shown(merge)} is no merge of two tokens.`);
  }
}

/** Rejects settings of the model that the library would misinterpret. */
function checkModel(model: Fields): void {
  if (model.type !== 'BPE' && model.type !== 'WordLevel') {
    throw refuse('unsupported', `model.type is ${shown(model.type)}; Marble reads BPE and WordLevel.`);
  }
  for (const name of ['dropout', 'continuing_subword_prefix', 'end_of_word_suffix']) {
    if (model[name]) throw refuse('unsupported', `model.${name} is ${shown(model[name])}.`); // null, 0 and '' are off
  }
  if (model.type === 'BPE') checkMerges(model.merges);
}

/** Checks a pattern. For an invalid pattern the library would return no tokens, and nothing could interrupt a slow one. */
function checkPattern(pattern: unknown): void {
  const [[kind, text] = [], ...others] = isRecord(pattern) ? Object.entries(pattern) : [];
  if (others.length > 0 || (kind !== 'String' && kind !== 'Regex') || typeof text !== 'string') {
    throw refuse('json', `${shown(pattern)} is no pattern.`);
  }
  if (text.length > LONGEST_PATTERN) throw refuse('unsupported', `a pattern has ${text.length} characters.`);
  const fault = kind === 'Regex' ? patternFault(text, 1, 32) : null;
  if (fault !== null)
    throw refuse('unsupported', `the pattern ${shown(text)} ${fault}, which could take forever.`);
}

/** Yields all parts of a pre-tokenizer, normalizer or decoder, with sequences expanded. */
function* partsOf(part: unknown, depth = 0): Generator<Fields> {
  if (part === null || part === undefined) return;
  if (!isRecord(part) || typeof part.type !== 'string' || depth > DEEPEST_SEQUENCE) {
    throw refuse('json', `${shown(part)} is no part of a tokenizer.`);
  }
  yield part;
  for (const name of ['pretokenizers', 'normalizers', 'decoders', 'processors']) {
    const inner = part[name] ?? [];
    if (!Array.isArray(inner) || inner.length > 64) throw refuse('json', `${name} is not a short list.`);
    for (const each of inner as unknown[]) yield* partsOf(each, depth + 1);
  }
}

/** Checks the texts that a part inserts. @returns whether it can lengthen a text in proportion */
function isGrowing({ type, pattern, content, prepend, replacement }: Fields): boolean {
  for (const text of [content, prepend, replacement]) {
    if (text === undefined || text === null) continue;
    if (typeof text !== 'string' || text.length > LONGEST_INSERTED)
      throw refuse('unsupported', `${shown(type)} inserts ${shown(text)}.`);
  }
  if (type === 'Replace' && typeof content !== 'string') throw refuse('json', 'a Replace has no content.');
  const replaced = isRecord(pattern) && typeof pattern.String === 'string' ? pattern.String.length : 1;
  return type === 'Replace' && (content as string).length > replaced;
}

function checkParts(json: Fields): void {
  for (const name of ['normalizer', 'pre_tokenizer', 'decoder', 'post_processor']) {
    let growing = 0;
    try {
      JSON.stringify(json[name]);
    } catch (cause) {
      throw refuse('json', `${name} is nested too deeply.`, cause);
    }
    for (const part of partsOf(json[name])) {
      if (part.type === 'Split' || part.type === 'Replace') checkPattern(part.pattern);
      if (isGrowing(part) && ++growing > MOST_GROWING)
        throw refuse('unsupported', `${name} lengthens texts in more than ${MOST_GROWING} replacements.`);
      if (part.type === 'FixedLength') throw refuse('unsupported', `${name} FixedLength.`);
    }
  }
  for (const part of partsOf(json.pre_tokenizer)) {
    const behavior = part.behavior;
    const unequal =
      (part.type === 'Split' &&
        (part.invert === true
          ? behavior !== 'Removed'
          : behavior !== 'Isolated' && behavior !== 'Removed')) ||
      (part.type === 'Punctuation' && behavior !== 'Contiguous');
    if (unequal) {
      throw refuse('unsupported', `pre_tokenizer ${shown(part.type)} with behavior ${shown(behavior)}.`);
    }
  }
}

/** Reads the tokens before the text of `TemplateProcessing` and of the post-processors of encoders. */
function readStart(postProcessor: unknown): number[] {
  return [...partsOf(postProcessor)].flatMap((part): number[] => {
    const { type, single, special_tokens: tokens, cls } = part;
    if (type === 'RobertaProcessing' || type === 'BertProcessing') return readIds(cls, [cls].flat().slice(1));
    if (type !== 'TemplateProcessing') return [];
    if (!Array.isArray(single) || !isRecord(tokens)) {
      throw refuse('json', `${shown(part)} is no template of a text.`);
    }
    const before = (single as unknown[]).findIndex(
      (piece) => !isRecord(piece) || !isRecord(piece.SpecialToken),
    );
    return (single as { SpecialToken: Fields }[]).slice(0, before).flatMap(({ SpecialToken: { id } }) => {
      const token = Object.hasOwn(tokens, String(id)) ? tokens[String(id)] : null;
      return readIds(id, isRecord(token) ? token.ids : null);
    });
  });
}

function readIds(name: unknown, ids: unknown): number[] {
  if (!Array.isArray(ids) || ids.length === 0 || !ids.every(isTokenId)) {
    throw refuse('json', `the post_processor has no ids for its token ${shown(name)}.`);
  }
  return ids;
}

function readAddedTokens(listed: unknown): AddedToken[] {
  if (!Array.isArray(listed) || listed.length > MOST_ADDED_TOKENS) {
    throw refuse('json', `added_tokens is not a list of at most ${MOST_ADDED_TOKENS}.`);
  }
  const tokens = listed.map((token: unknown): AddedToken => {
    if (!isRecord(token) || !isTokenId(token.id) || typeof token.content !== 'string') {
      throw refuse('json', `${shown(token)} is no added token.`);
    }
    const { id, content } = token;
    if (content.length === 0 || content.length > LONGEST_ADDED_TOKEN) {
      throw refuse('json', `added token ${id} has ${content.length} characters.`);
    }
    // Tokens such as Qwen's <|fim_prefix|> are control tokens by their form, although not marked as special.
    const control = token.special === true || /^<\|.*\|>$/s.test(content);
    return { id, content, lstrip: token.lstrip === true, rstrip: token.rstrip === true, control };
  });
  const distinct = (values: (string | number)[]): boolean => new Set(values).size === values.length;
  if (!distinct(tokens.map(({ id }) => id)) || !distinct(tokens.map(({ content }) => content))) {
    throw refuse('json', 'an id or a text occurs twice in added_tokens.');
  }
  return tokens;
}

/**
 * @param json result of `JSON.parse` for tokenizer.json
 * @throws MarbleError `model/tokenizer-json` for an invalid file, `model/tokenizer-unsupported` for one that Marble would
 *   encode differently from huggingface/tokenizers
 */
export function checkTokenizerJson(json: unknown): TokenizerJson {
  if (!isRecord(json) || !isRecord(json.model)) throw refuse('json', 'it contains no model.');
  const model = json.model;
  checkModel(model);
  checkParts(json);
  const addedTokens = readAddedTokens(json.added_tokens ?? []);
  const vocabulary = readVocabulary(model.vocab);
  const vocab = model.vocab as Record<string, number>;
  for (const { id, content } of addedTokens) {
    if ((vocabulary.get(id) ?? content) !== content) {
      throw refuse('json', `id ${id} is both ${shown(vocabulary.get(id))} and ${shown(content)}.`);
    }
  }
  const unknown = model.unk_token ?? null;
  if (unknown !== null && typeof unknown !== 'string') {
    throw refuse('json', `model.unk_token is ${shown(unknown)}.`);
  }
  const ids = [...vocabulary.keys(), ...addedTokens.map(({ id }) => id)];
  const largest = ids.reduce((most, id) => Math.max(most, id), -1);
  if (largest < 0) throw refuse('json', 'the vocabulary is empty.');
  const startIds = readStart(json.post_processor);
  const beyond = startIds.find((id) => id > largest);
  if (startIds.length > MOST_START_IDS)
    throw refuse('unsupported', `the post_processor begins each text with ${startIds.length} tokens.`);
  if (beyond !== undefined) throw refuse('json', `id ${beyond} of the post_processor names no token.`);
  return {
    json: json as TokenizerJson['json'],
    addedTokens,
    // The format requires a name even if the token does not exist.
    unknownToken: unknown !== null && Object.hasOwn(vocab, unknown) ? unknown : null,
    startIds,
    vocabularySize: largest + 1,
  };
}
