/**
 * `tokenizer.json` (huggingface/tokenizers): which of it Marble reads, checked before the library sees it. The library
 * that encodes (@huggingface/tokenizers) takes some settings for others in silence, those are refused here by name; the
 * rest of its limits it reports itself.
 */
import { MarbleError } from '../../base/error';
import { isRecord, shown } from '../../base/untrusted';

type Fields = Record<string, unknown>;

export interface AddedToken {
  id: number;
  content: string;
  /** Whether white space before or after belongs to the token. */
  lstrip: boolean;
  rstrip: boolean;
  /** Whether only a model or its template may write it: never read from a text, left out when decoding. */
  control: boolean;
}

export interface TokenizerJson {
  /** The parsed file, for the library. */
  json: Fields & { model: Fields & { vocab: Record<string, number> } };
  addedTokens: AddedToken[];
  /** Stands for words that the vocabulary lacks; null where there is none. */
  unknownToken: string | null;
  /** Ids that the post-processor puts before a text. What it puts behind one would end the text that a model is to continue. */
  startIds: number[];
  /** One more than the largest id. */
  vocabularySize: number;
}

const MOST_TOKENS = 4_194_304;
const MOST_ADDED_TOKENS = 16_384;
const LONGEST_ADDED_TOKEN = 512;
const DEEPEST_SEQUENCE = 4;

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

/** The vocabulary by id. */
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

/** Refuses what would change the token ids and what the library computes as something else. */
function checkModel(model: Fields): void {
  if (model.type !== 'BPE' && model.type !== 'WordLevel') {
    throw refuse('unsupported', `model.type is ${shown(model.type)}; Marble reads BPE and WordLevel.`);
  }
  const settings: [string, readonly unknown[]][] = [
    ['dropout', [null, undefined, 0]],
    ['continuing_subword_prefix', [null, undefined, '']],
    ['end_of_word_suffix', [null, undefined, '']],
  ];
  for (const [name, values] of settings) {
    if (!values.includes(model[name])) throw refuse('unsupported', `model.${name} is ${shown(model[name])}.`);
  }
  if (model.type === 'BPE') checkMerges(model.merges);
}

/** The library would let a text vanish at a pattern that is none. */
function checkPattern(pattern: unknown): void {
  const [[kind, text] = [], ...others] = isRecord(pattern) ? Object.entries(pattern) : [];
  if (others.length > 0 || (kind !== 'String' && kind !== 'Regex') || typeof text !== 'string') {
    throw refuse('json', `${shown(pattern)} is no pattern.`);
  }
}

/** Every part of a pre-tokenizer, a normalizer or a decoder, sequences opened. */
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

function checkParts(json: Fields): void {
  for (const name of ['normalizer', 'pre_tokenizer', 'decoder', 'post_processor']) {
    for (const part of partsOf(json[name])) {
      if (part.type === 'Split' || part.type === 'Replace') checkPattern(part.pattern);
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

/** The tokens before the text, of `TemplateProcessing` and of the processors of encoders. */
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
    // Qwen's <|fim_prefix|> and its like are control tokens by their form, though not marked so.
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
 * @param json what `JSON.parse` made of tokenizer.json
 * @throws MarbleError `model/tokenizer-json` for a file that is none, `model/tokenizer-unsupported` for one that Marble
 *   would encode differently from its author
 */
export function checkTokenizerJson(json: unknown): TokenizerJson {
  if (!isRecord(json) || !isRecord(json.model)) throw refuse('json', 'there is no model in it.');
  const model = json.model;
  checkModel(model);
  checkParts(json);
  const addedTokens = readAddedTokens(json.added_tokens ?? []);
  const taken = readVocabulary(model.vocab);
  const vocab = model.vocab as Record<string, number>;
  for (const { id, content } of addedTokens) {
    if ((taken.get(id) ?? content) !== content) {
      throw refuse('json', `id ${id} is both ${shown(taken.get(id))} and ${shown(content)}.`);
    }
  }
  const unknown = model.unk_token ?? null;
  if (unknown !== null && typeof unknown !== 'string') {
    throw refuse('json', `model.unk_token is ${shown(unknown)}.`);
  }
  let largest = -1;
  for (const id of taken.keys()) largest = Math.max(largest, id);
  for (const { id } of addedTokens) largest = Math.max(largest, id);
  if (largest < 0) throw refuse('json', 'the vocabulary is empty.');
  const startIds = readStart(json.post_processor);
  const beyond = startIds.find((id) => id > largest);
  if (beyond !== undefined) throw refuse('json', `id ${beyond} of the post_processor names no token.`);
  return {
    json: { ...json, model: { ...model, vocab } },
    addedTokens,
    // The format wants a name here even where no such token exists.
    unknownToken: unknown !== null && Object.hasOwn(vocab, unknown) ? unknown : null,
    startIds,
    vocabularySize: largest + 1,
  };
}
