/**
 * Text to token ids and back, from the model's own tokenizer.json, chat template included.
 *
 * @huggingface/tokenizers does the encoding. It reads control tokens wherever their characters stand, so it is given a
 * vocabulary without them, and control tokens are handled here: found in templates, never in what a user wrote. Its
 * clean-up of spaces before punctuation when decoding is always off, for a text must come back as it went in (up to the
 * model's own normalizer: Qwen's gives the composed form, NFC).
 */
import { Tokenizer as Library } from '@huggingface/tokenizers';
import { MarbleError } from '../../base/error';
import { isRecord, shown } from '../../base/untrusted';
import {
  markLookAlikes,
  unusedCharacter,
  withPrefill,
  type ChatMessage,
  type ParseChatTemplate,
} from './chat-template';
import { checkTokenizerJson, type AddedToken, type TokenizerJson } from './tokenizer-json';

export interface ChatOptions {
  /** Default: true. */
  generationPrompt?: boolean;
  /** The beginning of the model's turn. `<think>` is opened once, also where the template opens it or closes it empty. */
  prefill?: string;
}

export interface Tokenizer {
  /** One more than the largest id; a model's embedding may have more rows. */
  readonly vocabularySize: number;
  /** Ids that end a completion, the one of `eos_token` first. */
  readonly stopIds: number[];
  /**
   * Text from a user or a data set: never read as special tokens.
   *
   * @param options.special for texts of our own: special tokens written in them are read as such
   * @param options.start puts the tokens in front that begin every text (BOS), for a prompt that no chat template writes
   * @throws MarbleError `model/unknown-word` for a word that a small vocabulary lacks
   */
  encode(text: string, options?: { special?: boolean; start?: boolean }): number[];
  /** Special tokens are left out unless asked for; ids that name no token always are. */
  decode(ids: readonly number[], options?: { keepSpecial?: boolean }): string;
  /** The model's chat template with the generation prompt, as ids. Throws `model/no-chat-template` where there is none. */
  chat(messages: readonly ChatMessage[], options?: ChatOptions): number[];
  /** The same as text. */
  chatText(messages: readonly ChatMessage[], options?: ChatOptions): string;
  readonly hasChatTemplate: boolean;
}

/** Tokens that end a turn or a text in the families that Marble loads, where no file says which does. */
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

/** `bos_token`, `eos_token` and the like, each a text or an object that holds one. */
function namedTokens(config: Fields): Record<string, string> {
  const named: Record<string, string> = {};
  for (const [name, value] of Object.entries(config)) {
    const content = isRecord(value) ? value.content : value;
    if (name.endsWith('_token') && typeof content === 'string') named[name] = content;
  }
  return named;
}

/** The template of tokenizer_config.json: one text, or a list of named ones of which `default` is meant. */
function configuredTemplate(config: Fields): string | null {
  const templates = config.chat_template;
  if (typeof templates === 'string') return templates;
  if (!Array.isArray(templates)) return null;
  const chosen = (templates as unknown[]).find((each) => isRecord(each) && each.name === 'default');
  return isRecord(chosen) && typeof chosen.template === 'string' ? chosen.template : null;
}

interface Encoder {
  encode(text: string): number[];
  decode(ids: number[]): string;
}

/** The library over the vocabulary without control tokens. `prefixed`: whether Metaspace's "first" applies. */
function openLibrary({ json, addedTokens, unknownToken }: TokenizerJson, prefixed: boolean): Encoder {
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
    pre_tokenizer: prefixed ? (json.pre_tokenizer ?? null) : withoutPrefix(json.pre_tokenizer ?? null),
    post_processor: null,
    decoder: json.decoder ?? null,
    model: { ...json.model, vocab },
    added_tokens: listed.filter(({ content }) => !names.has(content)),
  };
  let library: Library;
  try {
    library = new Library(adjusted, { unk_token: unknownToken, clean_up_tokenization_spaces: false });
  } catch (cause) {
    throw new MarbleError(
      'model/tokenizer-unsupported',
      `tokenizer.json cannot be used: ${cause instanceof Error ? cause.message.slice(0, 200) : 'unknown reason'}.`,
      'Choose a model with a BPE tokenizer as Qwen and Llama have.',
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
          `The vocabulary has no word ${JSON.stringify((tokens[missing] ?? text).slice(0, 60))}.`,
          "Write the text with the model's own words, or choose a model with a larger vocabulary.",
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

function hasPrefixFirst(part: unknown): boolean {
  return JSON.stringify(part ?? null).includes('"prepend_scheme":"first"');
}

/** The pre-tokenizer for text that follows a control token: "first" gives a space to the first text only. */
function withoutPrefix(part: unknown): unknown {
  return JSON.parse(
    JSON.stringify(part).replaceAll('"prepend_scheme":"first"', '"prepend_scheme":"never"'),
  ) as unknown;
}

/** A text cut at control tokens: texts and tokens in turn, white space taken where a token asks for it. */
function splitAtControls(
  text: string,
  pattern: RegExp | null,
  controls: ReadonlyMap<string, AddedToken>,
): { text: string; control: boolean }[] {
  if (pattern === null) return [{ text, control: false }];
  const pieces: { text: string; control: boolean }[] = [];
  let rest = text;
  for (let match = pattern.exec(rest); match !== null; match = pattern.exec(rest)) {
    const { content, lstrip, rstrip } = controls.get(match[0])!;
    const before = rest.slice(0, match.index);
    pieces.push({ text: lstrip ? before.trimEnd() : before, control: false });
    pieces.push({ text: content, control: true });
    const after = rest.slice(match.index + content.length);
    rest = rstrip ? after.trimStart() : after;
  }
  pieces.push({ text: rest, control: false });
  return pieces;
}

/** Leftmost, longest first; null where there is no control token. */
function controlPattern(controls: readonly AddedToken[]): RegExp | null {
  const exact = controls
    .map(({ content }) => content)
    .sort((a, b) => b.length - a.length)
    .map((content) => content.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return exact.length === 0 ? null : new RegExp(exact.join('|'));
}

/**
 * The ids before every text: those of the post-processor, which transformers 5 takes alone, else those of
 * `add_bos_token`, which transformers 4 honours.
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
    `tokenizer_config.json: add_bos_token is true, and bos_token ${shown(bos)} is no added token of tokenizer.json.`,
    'Take both files from one repository and revision, or set add_bos_token to false.',
  );
}

/** Control tokens of the families, by their form: `<|im_start|>`, and DeepSeek's with other bars. */
const CONTROL_FORM = /<[|｜][^|｜<>\s]{1,64}[|｜]>/g;

/** Refuses a template that writes a control token which the tokenizer would read as its letters. */
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
  const lacking = written.find(
    (token) => !known.has(token) && !messages.some(({ content }) => content.includes(token)),
  );
  if (lacking === undefined) return;
  throw new MarbleError(
    'model/template-token',
    `The chat template writes ${shown(lacking)}, which is no token of tokenizer.json.`,
    'Take tokenizer.json, tokenizer_config.json and the chat template from one repository and revision.',
  );
}

/** The text of the model's chat template; null where it has none. */
export function templateTextOf(tokenizerConfig: unknown, chatTemplate?: string): string | null {
  return chatTemplate ?? configuredTemplate(isRecord(tokenizerConfig) ? tokenizerConfig : {});
}

/**
 * @param tokenizerJson parsed tokenizer.json
 * @param tokenizerConfig parsed tokenizer_config.json, for the end token, the template's variables and the template
 * @param chatTemplate text of chat_template.jinja, which goes before the one of `tokenizerConfig`
 * @param parse reads the template; without it the tokenizer has none (`parse-chat-template.ts`)
 * @throws MarbleError `model/tokenizer-json`, `model/tokenizer-unsupported`, `model/chat-template`
 */
export function createTokenizer(
  tokenizerJson: unknown,
  tokenizerConfig?: unknown,
  chatTemplate?: string,
  parse?: ParseChatTemplate,
): Tokenizer {
  const checked = checkTokenizerJson(tokenizerJson);
  const config = isRecord(tokenizerConfig) ? tokenizerConfig : {};
  const named = namedTokens(config);
  const controls = checked.addedTokens.filter(({ control }) => control);
  const controlsByText = new Map(controls.map((token) => [token.content, token]));
  const controlTexts = new Map(controls.map(({ content, id }) => [id, content]));
  const pattern = controlPattern(controls);
  const startIds = startOf(checked, config, named.bos_token);
  const library = openLibrary(checked, true);
  const following = hasPrefixFirst(checked.json.pre_tokenizer) ? openLibrary(checked, false) : library;
  const templateText = templateTextOf(tokenizerConfig, chatTemplate);
  const template = templateText === null || parse === undefined ? null : parse(templateText, named);

  const encodeWithControls = (text: string, mark: string): number[] =>
    splitAtControls(text, pattern, controlsByText).flatMap((piece, index) => {
      if (piece.control) return [controlsByText.get(piece.text)!.id];
      const plain = mark === '' ? piece.text : piece.text.replaceAll(mark, '');
      return (index === 0 ? library : following).encode(plain);
    });

  const render = (
    messages: readonly ChatMessage[],
    { generationPrompt = true, prefill = '' }: ChatOptions = {},
  ): string => {
    if (template === null) {
      throw new MarbleError(
        'model/no-chat-template',
        'This model has no chat template, so it cannot be given messages.',
        'Give it plain text, or choose an instruction-tuned model.',
      );
    }
    return withPrefill(template.render(messages, generationPrompt), prefill);
  };

  return {
    vocabularySize: checked.vocabularySize,
    stopIds: controls
      .filter(({ content }) => content === named.eos_token || END_TOKENS.includes(content))
      .sort((a, b) => Number(b.content === named.eos_token) - Number(a.content === named.eos_token))
      .map(({ id }) => id),
    hasChatTemplate: template !== null,
    encode: (text, { special = false, start = false } = {}) => [
      ...(start ? startIds : []),
      ...(special ? encodeWithControls(text, '') : library.encode(text)),
    ],
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
    chat(messages, options) {
      const mark = unusedCharacter(messages.map(({ content }) => content));
      const names = [...controlsByText.keys()];
      const marked = messages.map(({ role, content }) => ({
        role,
        content: markLookAlikes(content, names, mark),
      }));
      const rendered = render(marked, options);
      checkTemplateTokens(rendered, marked, checked.addedTokens, named);
      return encodeWithControls(rendered, mark);
    },
    chatText: render,
  };
}
