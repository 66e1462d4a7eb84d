/**
 * Parses and renders chat templates with a Jinja interpreter, which is loaded only for a model with a template. Templates are
 * untrusted. The number of their steps and the size of every value are limited, so that each rendering ends.
 */
import { MarbleError } from '../../base/error';
import type { ChatTemplate } from './chat-template';
import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja';

type TemplateProgram = ReturnType<typeof parse>;

/** Published templates have at most 20 kB, and take some thousand steps for a conversation. */
const LONGEST_TEMPLATE = 200_000;
/** A run of white space takes @huggingface/jinja the square of its length (`preprocess` in its lexer.ts). */
const LONGEST_SPACE = 1000;
const MOST_STEPS = 200_000;
const LONGEST_TEXT = 1_000_000;
const LONGEST_LIST = 2_000;
/** Sum over the values of all steps: a character costs 1, an entry of a list or an object 50. */
const MOST_WORK = 20_000_000;
const ENTRY = 50;

type Evaluated = Parameters<Interpreter['evaluate']>;
type Value = ReturnType<Interpreter['evaluate']>;

interface Call {
  type: string;
  callee: { type: string; object: Evaluated[0]; property: { value: string }; computed: boolean };
  args?: Evaluated[0][];
}

/** An interpreter that ends: each step, and all that a step can traverse, is counted. */
class FencedInterpreter extends Interpreter {
  private steps = 0;
  private work = 0;

  override evaluate(...given: Evaluated): Value {
    this.steps += 1;
    if (this.steps > MOST_STEPS) throw new Error(`it takes more than ${MOST_STEPS} steps`);
    const result = this.stripped(...given) ?? super.evaluate(...given);
    this.count(result);
    return result;
  }

  /**
   * The value of a call of `strip`, `lstrip` or `rstrip` with characters, as Qwen3's template has; null for other nodes.
   * @huggingface/jinja 0.5.11 ignores the characters (StringValue.builtins in its runtime.ts). Delete this method and
   * `stripped` when the test of the fault in `chat-template.test.ts` fails.
   */
  private stripped(...[node, environment]: Evaluated): Value | null {
    // A slice evaluates its absent bounds as undefined.
    const { type, callee, args = [] } = (node ?? {}) as unknown as Call;
    if (type !== 'CallExpression' || callee.type !== 'MemberExpression' || args.length === 0) return null;
    const { object, property, computed } = callee;
    if (computed || !/^[lr]?strip$/.test(property.value)) return null;
    const [text, characters] = [object, args[0]].map((part) => this.evaluate(part, environment));
    const Text = text.constructor as new (text: string) => Value;
    return new Text(stripped(text.value, characters.value, property.value));
  }

  /** A filter such as `tojson` traverses a value as a tree, whether or not its parts are the same objects. */
  private count(part: unknown): void {
    const { value } = (part ?? {}) as { value?: unknown };
    const isText = typeof value === 'string';
    const entries: Iterable<unknown> = Array.isArray(value)
      ? value
      : value instanceof Map
        ? (value as Map<string, unknown>).values()
        : [];
    const size = isText || Array.isArray(value) ? value.length : 0;
    if (size > (isText ? LONGEST_TEXT : LONGEST_LIST)) throw new Error('it makes a value that is too long');
    this.work += isText ? size : ENTRY;
    if (this.work > MOST_WORK) throw new Error('it makes too many values, or too long ones');
    for (const entry of entries) this.count(entry);
  }
}

/** @throws Error if the template rejects the messages or is faulty */
function renderTemplate(program: TemplateProgram, variables: Record<string, unknown>): string {
  const environment = new Environment();
  const constants = { true: true, True: true, false: false, False: false, none: null, None: null };
  const functions = { range, raise_exception: raise };
  for (const [name, value] of Object.entries({ ...constants, ...functions, ...variables })) {
    environment.set(name, value);
  }
  return new FencedInterpreter(environment).run(program).toString();
}

/** Removes characters at the ends of a text, as Python's `strip` does. */
function stripped(text: unknown, characters: unknown, ends: string): string {
  if (typeof text !== 'string' || (characters != null && typeof characters !== 'string')) {
    throw new Error(`${ends} takes a text and characters`);
  }
  const removed = new Set(characters ?? '');
  const isOff = (character: string): boolean =>
    characters == null ? character.trim() === '' : removed.has(character);
  const letters = Array.from(text);
  const first = ends === 'rstrip' ? 0 : letters.findIndex((letter) => !isOff(letter));
  const last = ends === 'lstrip' ? letters.length : letters.findLastIndex((letter) => !isOff(letter)) + 1;
  return first < 0 ? '' : letters.slice(first, last).join('');
}

function raise(reason: unknown): never {
  throw new Error(typeof reason === 'string' ? reason : 'it gives no reason');
}

function range(first: number, second?: number, step = 1): number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (!(length <= LONGEST_LIST)) throw new Error(`it makes a list with more than ${LONGEST_LIST} entries`);
  return Array.from({ length }, (_, index) => start + index * step);
}

function refuse(message: string, cause: unknown): MarbleError {
  const reason = cause instanceof Error ? `: ${cause.message.slice(0, 200)}` : '.';
  return new MarbleError(
    'model/chat-template',
    `${message}${reason}`,
    'Change the messages as the template requires, or choose a model with a simpler template.',
    { cause },
  );
}

const spaces = new RegExp(`\\s{${LONGEST_SPACE + 1}}`);

/**
 * @param source the template's text
 * @param tokens variables of the template, such as `bos_token` and `eos_token`
 * @throws MarbleError `model/chat-template` if the template cannot be parsed
 */
export function parseChatTemplate(source: string, tokens: Readonly<Record<string, string>>): ChatTemplate {
  let program: TemplateProgram;
  try {
    if (source.length > LONGEST_TEMPLATE) throw new Error(`it has more than ${LONGEST_TEMPLATE} characters`);
    if (spaces.test(source)) throw new Error(`it has more than ${LONGEST_SPACE} white spaces in a row`);
    program = parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true }));
  } catch (cause) {
    throw refuse('The chat template cannot be read', cause);
  }
  return {
    render(messages) {
      try {
        return renderTemplate(program, {
          ...tokens,
          messages: messages.map(({ role, content }) => ({ role, content })),
          add_generation_prompt: true,
          tools: null,
        });
      } catch (cause) {
        throw refuse('The chat template refuses these messages', cause);
      }
    },
  };
}
