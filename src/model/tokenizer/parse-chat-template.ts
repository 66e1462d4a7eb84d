/**
 * Reading a chat template, which takes a Jinja interpreter: a part of its own, fetched where a model has a template.
 *
 * A template comes with a model, from anybody: two loops in one another, or a text doubled forty times, would hold the tab
 * or end it. Every evaluation is counted with the size of what it yields; the command, in which no watchdog ends a
 * parser, relies on that count. A single filter or method can still make up to the longest text that the browser knows
 * before it is measured: that takes less than a second, and the browser itself refuses more.
 */
import { MarbleError } from '../../base/error';
import type { ChatTemplate } from './chat-template';
import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja';

type TemplateProgram = ReturnType<typeof parse>;
type Value = ReturnType<Interpreter['evaluate']>;

/** A conversation of two turns takes a few thousand, one of 120 kB 100,000. */
const MOST_WORK = 500_000;
const WORK = { evaluation: 4, element: 10, charactersEach: 16 };
/** Characters and values that a text or a list may stand for, the whole conversation included. */
const LARGEST_VALUE = 1_048_576;
const LONGEST_LIST = 20_000;
/** What the library strips white space with takes the square of its length. */
const LONGEST_SPACE = 500;

/** @throws Error for what is no template, or takes too long to read */
function readTemplate(source: string): TemplateProgram {
  if (new RegExp(`\\s{${LONGEST_SPACE + 1}}`).test(source)) {
    throw new Error(`it has more than ${LONGEST_SPACE} characters of white space in a row`);
  }
  return parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true }));
}

/** @throws Error where the template refuses, is faulty, or has spent its budget */
function renderTemplate(program: TemplateProgram, variables: Record<string, unknown>): string {
  const environment = new Environment();
  const constants = { true: true, True: true, false: false, False: false, none: null, None: null };
  const functions = { range, raise_exception: raise };
  for (const [name, value] of Object.entries({ ...constants, ...functions, ...variables })) {
    environment.set(name, value);
  }
  return new BoundedInterpreter(environment).run(program).toString();
}

function raise(reason: unknown): never {
  throw new Error(typeof reason === 'string' ? reason : 'it gives no reason');
}

function range(first: number, second?: number, step = 1): number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const length = Math.ceil((stop - start) / step);
  if (!(length <= LONGEST_LIST)) throw new Error(`a range of it has ${length} numbers`);
  return Array.from({ length: Math.max(0, length) }, (_, index) => start + index * step);
}

class BoundedInterpreter extends Interpreter {
  private left = MOST_WORK;
  private readonly sizes = new WeakMap<Value, number>();

  override evaluate(...asked: Parameters<Interpreter['evaluate']>): Value {
    this.left -= WORK.evaluation;
    if (this.left < 0) throw new Error('it takes too long');
    const value = super.evaluate(...asked);
    const size = this.sizeOf(value);
    if (size > LARGEST_VALUE) throw new Error(`it makes a value of ${size} characters`);
    const { value: inside } = value as { value: unknown };
    if (typeof inside === 'string') this.left -= inside.length / WORK.charactersEach;
    else if (Array.isArray(inside)) this.left -= inside.length * WORK.element;
    return value;
  }

  /** Characters of a value as text, about: each part of a list as often as it stands there. */
  private sizeOf(value: Value): number {
    const { value: inside } = value as { value: unknown };
    if (typeof inside === 'string') return inside.length;
    const known = this.sizes.get(value);
    if (known !== undefined) return known;
    let size = 1;
    this.sizes.set(value, Infinity); // where a list is within itself
    if (Array.isArray(inside)) {
      for (const part of inside as Value[]) size += this.sizeOf(part);
    } else if (inside instanceof Map) {
      for (const [name, part] of inside as Map<string, Value>) size += name.length + this.sizeOf(part);
    }
    this.sizes.set(value, size);
    return size;
  }
}

const LONGEST_TEMPLATE = 131_072;

function refuse(message: string, cause: unknown): MarbleError {
  const reason = cause instanceof Error ? `: ${cause.message.slice(0, 200)}` : '.';
  return new MarbleError(
    'model/chat-template',
    `${message}${reason}`,
    'Change the messages as the template asks, or choose a model with a simpler template.',
    { cause },
  );
}

/**
 * @param source the template's text
 * @param tokens `bos_token`, `eos_token` and the like, as the template's variables
 * @throws MarbleError `model/chat-template` when it cannot be parsed
 */
export function parseChatTemplate(source: string, tokens: Readonly<Record<string, string>>): ChatTemplate {
  if (source.length > LONGEST_TEMPLATE) {
    throw refuse(
      `The chat template has ${source.length} characters; at most ${LONGEST_TEMPLATE} are read`,
      null,
    );
  }
  let program: TemplateProgram;
  try {
    program = readTemplate(source);
  } catch (cause) {
    throw refuse('The chat template cannot be read', cause);
  }
  return {
    render(messages, generationPrompt) {
      try {
        return renderTemplate(program, {
          ...tokens,
          messages: messages.map(({ role, content }) => ({ role, content })),
          add_generation_prompt: generationPrompt,
          tools: null,
        });
      } catch (cause) {
        throw refuse('The chat template refuses these messages', cause);
      }
    },
  };
}
