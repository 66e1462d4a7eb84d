/**
 * Reading a chat template, which takes a Jinja interpreter: a part of its own, fetched where a model has a template. A template
 * comes with a model, from anybody, and may never end: the page closes a worker that does not answer.
 */
import { MarbleError } from '../../base/error';
import type { ChatTemplate } from './chat-template';
import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja';

type TemplateProgram = ReturnType<typeof parse>;

/** @throws Error where the template refuses or is faulty */
function renderTemplate(program: TemplateProgram, variables: Record<string, unknown>): string {
  const environment = new Environment();
  const constants = { true: true, True: true, false: false, False: false, none: null, None: null };
  const functions = { range, raise_exception: raise, ...stripping };
  for (const [name, value] of Object.entries({ ...constants, ...functions, ...variables })) {
    environment.set(name, value);
  }
  return new Interpreter(environment).run(program).toString();
}

/** Python's methods by their names within a template, where the interpreter cannot see them as variables. */
const STRIPPING: Record<string, string> = { strip: ' strip', lstrip: ' lstrip', rstrip: ' rstrip' };

/**
 * @huggingface/jinja 0.5.11 ignores the argument of `strip`, `lstrip` and `rstrip` (StringValue.builtins in its runtime.ts),
 * which Qwen3's template gives: calls with an argument become calls of the functions below. Delete this, `STRIPPING` and
 * `stripped` once the test of the fault in `chat-template.test.ts` fails.
 */
function callStripping(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  for (const part of Object.values(node)) callStripping(part);
  const call = node as { type?: string; callee?: Member; args?: unknown[] };
  if (call.type !== 'CallExpression' || call.callee?.type !== 'MemberExpression') return;
  const { object, property, computed } = call.callee;
  if (computed || !Object.hasOwn(STRIPPING, property.value) || !call.args?.length) return;
  call.args = [object, ...call.args];
  call.callee = { type: 'Identifier', value: STRIPPING[property.value] } as unknown as Member;
}

interface Member {
  type: string;
  object: unknown;
  property: { value: string };
  computed: boolean;
}

/** Without the characters at its ends, as Python strips them. */
function stripped(text: unknown, characters: unknown, ends: string): string {
  if (typeof text !== 'string' || (characters != null && typeof characters !== 'string')) {
    throw new Error(`${ends} takes a text and characters`);
  }
  const isOff = (character: string): boolean =>
    characters == null ? character.trim() === '' : characters.includes(character);
  const letters = Array.from(text);
  const first = ends === 'rstrip' ? 0 : letters.findIndex((letter) => !isOff(letter));
  const last = ends === 'lstrip' ? letters.length : letters.findLastIndex((letter) => !isOff(letter)) + 1;
  return first < 0 ? '' : letters.slice(first, last).join('');
}

const stripping = Object.fromEntries(
  Object.entries(STRIPPING).map(([ends, name]) => [
    name,
    (text: unknown, characters: unknown): string => stripped(text, characters, ends),
  ]),
);

function raise(reason: unknown): never {
  throw new Error(typeof reason === 'string' ? reason : 'it gives no reason');
}

function range(first: number, second?: number, step = 1): number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const length = Math.max(0, Math.ceil((stop - start) / step));
  return Array.from({ length }, (_, index) => start + index * step);
}

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
  let program: TemplateProgram;
  try {
    program = parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true }));
    callStripping(program);
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
