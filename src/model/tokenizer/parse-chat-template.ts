/**
 * Reading a chat template, which takes a Jinja interpreter: a part of its own, fetched where a model has a template.
 */
import { MarbleError } from '../../error';
import type { ChatTemplate } from './chat-template';
import { readTemplate, renderTemplate, type TemplateProgram } from './template-interpreter';

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
