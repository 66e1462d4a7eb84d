/**
 * Encodes text to token ids and decodes it, with the model's tokenizer.json and chat template.
 *
 * @huggingface/tokenizers does the encoding. It would encode the characters of a control token in any text as that token.
 * Therefore it gets a vocabulary without control tokens, and this file handles them in templates only. Its clean-up of spaces
 * before punctuation in decoding is always off, so that decoding restores the encoded text (up to the model's normalizer, for
 * example NFC for Qwen).
 */
import { Tokenizer as Library } from '@huggingface/tokenizers';
import { MarbleError } from '../../base/error';
import { isRecord, shown } from '../../base/untrusted';
import { openSource, type ModelFiles, type ModelSource, type OpenOptions } from '../source/source';
import {
  markLookAlikes,
  unusedCharacter,
  withPrefill,
  type ChatMessage,
  type ChatTemplate,
} from './chat-template';
import { checkTokenizerJson, type AddedToken, type TokenizerJson } from './tokenizer-json';

export interface ChatOptions {
  /** Start of the model's turn. A `<think>` occurs once, even if the template opens it or closes an empty block. */
  prefill?: string;
}

export interface Tokenizer {
  /** One more than the largest id. A model's embedding may have more rows. */
  readonly vocabularySize: number;
  /** Ids that end a completion, that of `eos_token` first. */
  readonly stopIds: number[];
  /**
   * Encodes text of a user or a data set, without special tokens.
   *
   * @param options.start prepends the start tokens of every text (BOS), for a prompt without a chat template
   * @throws MarbleError `model/unknown-word` for a word outside a small vocabulary
   */
  encode(text: string, options?: { start?: boolean }): number[];
  /** Decodes ids. Omits special tokens unless `keepSpecial` is true, and always omits ids without a token. */
  decode(ids: readonly number[], options?: { keepSpecial?: boolean }): string;
  /** Renders messages with the chat template and encodes them. Throws `model/no-chat-template` without a template. */
  chat(messages: readonly ChatMessage[], options?: ChatOptions): number[];
  readonly hasChatTemplate: boolean;
}

/** Default tokens that end a turn or a text in the supported model families, if no file names them. */
const END_TOKENS = [
  '<|im_end|>',
  '<|endoftext|>',
  '<|eot_id|>',
  '<|end_of_text|>',
  '<|end|>',
  '</s>',
  '<eos>',
];

type Fields = Record<string, unknown>;

/** Reads `bos_token`, `eos_token` and similar fields of tokenizer_config.json, each a text or an object with one. */
export function namedTokens(config: unknown): Record<string, string> {
  const named: Record<string, string> = {};
  for (const [name, value] of Object.entries(isRecord(config) ? config : {})) {
    const content = isRecord(value) ? value.content : value;
    if (name.endsWith('_token') && typeof content === 'string') named[name] = content;
  }
  return named;
}

/** Chat template of tokenizer_config.json, a text or the `default` of a list of named templates; null without one. */
function configuredTemplate(config: unknown): string | null {
  const templates = isRecord(config) ? config.chat_template : null;
  if (typeof templates === 'string') return templates;
  if (!Array.isArray(templates)) return null;
  const chosen = (templates as unknown[]).find((each) => isRecord(each) && each.name === 'default');
  return isRecord(chosen) && typeof chosen.template === 'string' ? chosen.template : null;
}

interface Encoder {
  encode(text: string): number[];
  decode(ids: number[]): string;
}

/** Opens the library with the vocabulary without control tokens. */
function openLibrary({ json, addedTokens, unknownToken }: TokenizerJson, preTokenizer: string): Encoder {
  const controls = addedTokens.filter(({ control, content }) => control && content !== unknownToken);
  const names = new Set(controls.map(({ content }) => content));
  const hidden = controls.some(({ content }) => Object.hasOwn(json.model.vocab, content));
  const vocab = hidden
    ? Object.fromEntries(Object.entries(json.model.vocab).filter(([token]) => !names.has(token)))
    : json.model.vocab;
  const listed = (json.added_tokens ?? []) as { content: string }[];
  const adjusted = {
    ...json,
    normalizer: json.normalizer ?? null,
    pre_tokenizer: JSON.parse(preTokenizer) as unknown,
    post_processor: null,
    decoder: json.decoder ?? null,
    // Without an unknown token the library drops characters that BPE does not know. A token without an id is refused below.
    model: { ...json.model, vocab, ...(json.model.type === 'BPE' && { unk_token: unknownToken ?? '' }) },
    added_tokens: listed.filter(({ content }) => !names.has(content)),
  };
  let library: Library;
  try {
    library = new Library(adjusted, { unk_token: unknownToken, clean_up_tokenization_spaces: false });
  } catch (cause) {
    throw new MarbleError(
      'model/tokenizer-unsupported',
      `tokenizer.json cannot be used: ${(cause as Error).message.slice(0, 200)}.`,
      'Choose a model with a BPE tokenizer, such as Qwen or Llama.',
      { cause },
    );
  }
  return {
    encode(text) {
      if (text === '') return [];
      const { ids, tokens } = library.encode(text, { add_special_tokens: false });
      const missing = ids.findIndex((id) => id === undefined);
      if (missing >= 0) {
        throw new MarbleError(
          'model/unknown-word',
          `The vocabulary has no word ${JSON.stringify((tokens[missing] || text).slice(0, 60))}.`,
          "Write the text with words of the model's vocabulary, or choose a model with a larger vocabulary.",
        );
      }
      return ids;
    },
    decode(ids) {
      const known = ids.filter((id) => library.id_to_token(id) !== undefined);
      return known.length === 0 ? '' : library.decode(known, { skip_special_tokens: false });
    },
  };
}

/** Pattern that splits a text at control tokens and keeps them. It matches leftmost, longest first. */
function controlPattern(controls: readonly AddedToken[]): RegExp {
  const exact = controls
    .map(({ content }) => content)
    .sort((a, b) => b.length - a.length)
    .map((content) => content.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return new RegExp(`(${exact.join('|') || '(?!)'})`);
}

/**
 * Ids before every text: those of the post-processor, the only ones in transformers 5, or else that of `add_bos_token`, as in
 * transformers 4.
 */
function startOf(
  { startIds, addedTokens }: TokenizerJson,
  config: Fields,
  bos: string | undefined,
): number[] {
  if (startIds.length > 0 || config.add_bos_token !== true || bos === undefined) return startIds;
  const token = addedTokens.find(({ content }) => content === bos);
  if (token !== undefined) return [token.id];
  throw new MarbleError(
    'model/tokenizer-json',
    `tokenizer_config.json: add_bos_token is true, but bos_token ${shown(bos)} is not an added token of tokenizer.json.`,
    'Use files of one repository and revision, or set add_bos_token to false.',
  );
}

/** Form of control tokens: `<|im_start|>`, and DeepSeek's with other bars. */
const CONTROL_FORM = /<[|｜][^|｜<>\s]{1,64}[|｜]>/g;

/** Rejects a template with a control token that is missing in the tokenizer, which would encode its letters. */
function checkTemplateTokens(
  rendered: string,
  messages: readonly ChatMessage[],
  addedTokens: readonly AddedToken[],
  named: Readonly<Record<string, string>>,
): void {
  const known = new Set(addedTokens.map(({ content }) => content));
  const written = [
    ...new Set(rendered.match(CONTROL_FORM)),
    ...Object.values(named).filter((token) => token !== '' && rendered.includes(token)),
  ];
  const missing = written.find(
    (token) => !known.has(token) && !messages.some(({ content }) => content.includes(token)),
  );
  if (missing === undefined) return;
  throw new MarbleError(
    'model/template-token',
    `The chat template writes ${shown(missing)}, which is not a token of tokenizer.json.`,
    'Use tokenizer.json, tokenizer_config.json and the chat template of one repository and revision.',
  );
}

/**
 * @param tokenizerJson parsed tokenizer.json
 * @param tokenizerConfig parsed tokenizer_config.json, for the start and end tokens
 * @throws MarbleError `model/tokenizer-json`, `model/tokenizer-unsupported`
 */
export function createTokenizer(
  tokenizerJson: unknown,
  tokenizerConfig?: unknown,
  template: ChatTemplate | null = null,
): Tokenizer {
  const checked = checkTokenizerJson(tokenizerJson);
  const config = isRecord(tokenizerConfig) ? tokenizerConfig : {};
  const named = namedTokens(tokenizerConfig);
  const controls = checked.addedTokens.filter(({ control }) => control);
  const controlsByText = new Map(controls.map((token) => [token.content, token]));
  const controlTexts = new Map(controls.map(({ content, id }) => [id, content]));
  const pattern = controlPattern(controls);
  const startIds = startOf(checked, config, named.bos_token);
  const preTokenizer = JSON.stringify(checked.json.pre_tokenizer ?? null);
  const library = openLibrary(checked, preTokenizer);
  // Metaspace's "first" adds a space to the first text only, not to one after a control token.
  const later = preTokenizer.replaceAll('"prepend_scheme":"first"', '"prepend_scheme":"never"');
  const following = later === preTokenizer ? library : openLibrary(checked, later);

  /** Encodes a rendered template, with white space stripped by `lstrip` and `rstrip` of its control tokens. */
  const encodeRendered = (text: string, mark: string): number[] => {
    const pieces = text.split(pattern); // texts and control tokens alternate
    return pieces.flatMap((piece, index) => {
      if (index % 2 === 1) return [controlsByText.get(piece)!.id];
      let plain = piece;
      if (controlsByText.get(pieces[index - 1])?.rstrip) plain = plain.trimStart();
      if (controlsByText.get(pieces[index + 1])?.lstrip) plain = plain.trimEnd();
      return (index === 0 ? library : following).encode(plain.replaceAll(mark, ''));
    });
  };

  return {
    vocabularySize: checked.vocabularySize,
    stopIds: controls
      .filter(({ content }) => content === named.eos_token || END_TOKENS.includes(content))
      .sort((a, b) => Number(b.content === named.eos_token) - Number(a.content === named.eos_token))
      .map(({ id }) => id),
    hasChatTemplate: template !== null,
    encode: (text, { start = false } = {}) => [...(start ? startIds : []), ...library.encode(text)],
    decode(ids, options) {
      if (options?.keepSpecial !== true) return library.decode(ids.filter((id) => !controlTexts.has(id)));
      let text = '';
      let run: number[] = [];
      for (const id of ids) {
        const control = controlTexts.get(id);
        if (control === undefined) {
          run.push(id);
        } else {
          text += library.decode(run) + control;
          run = [];
        }
      }
      return text + library.decode(run);
    },
    chat(messages, { prefill = '' } = {}) {
      if (template === null) {
        throw new MarbleError(
          'model/no-chat-template',
          'This model has no chat template, so it does not accept messages.',
          'Use plain text, or choose an instruction-tuned model.',
        );
      }
      const mark = unusedCharacter(messages.map(({ content }) => content));
      const names = [...controlsByText.keys()];
      const marked = messages.map(({ role, content }) => ({
        role,
        content: markLookAlikes(content, names, mark),
      }));
      const rendered = withPrefill(template.render(marked), prefill);
      checkTemplateTokens(rendered, marked, checked.addedTokens, named);
      return encodeRendered(rendered, mark);
    },
  };
}

/**
 * Reads tokenizer.json and, if they exist, tokenizer_config.json and chat_template.jinja. The latter has precedence over the
 * template in tokenizer_config.json.
 *
 * @param embeddingRows number of rows of the model's embedding, an upper limit for token ids
 * @throws MarbleError `model/file-missing` without a tokenizer.json, `model/tokenizer-vocabulary` for more tokens than
 *   `embeddingRows`, and errors of `ModelFiles`, `createTokenizer` and `parseChatTemplate`
 */
export async function readTokenizer(files: ModelFiles, embeddingRows = Infinity): Promise<Tokenizer> {
  const ifAny = async <T>(name: string, read: (name: string) => Promise<T>): Promise<T | null> =>
    (await files.has(name)) ? read(name) : null;
  const [json, config, template] = await Promise.all([
    files.json('tokenizer.json'),
    ifAny('tokenizer_config.json', files.json),
    ifAny('chat_template.jinja', files.text),
  ]);
  const source = template ?? configuredTemplate(config);
  // Models without a template, such as the embedded ones, do not load the interpreter.
  const parser = source === null ? null : await import('./parse-chat-template');
  const chat = parser?.parseChatTemplate(source!, namedTokens(config)) ?? null;
  const tokenizer = createTokenizer(json, config, chat);
  if (tokenizer.vocabularySize > embeddingRows) {
    throw new MarbleError(
      'model/tokenizer-vocabulary',
      `tokenizer.json in ${files.label} has ${tokenizer.vocabularySize} tokens; the model has ${embeddingRows}.`,
      'The tokenizer belongs to another model: use files of one repository and revision.',
    );
  }
  return tokenizer;
}

/** Opens a source and reads only its tokenizer. @throws MarbleError errors of `openSource` and `readTokenizer` */
export async function loadTokenizer(source: ModelSource, options?: OpenOptions): Promise<Tokenizer> {
  return readTokenizer(await openSource(source, options));
}
