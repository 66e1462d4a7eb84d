/** One question of a data set as the model reads it, and the answers that count as right. */
import type { RunConfig } from '../../run/config/config';
import type { Item } from '../../tom/item';
import { formatPrompt } from '../../tom/text/prompts';

/** Prompt in the chat template of SmolLM2 and Qwen (ChatML), or the plain text that an embedded model reads. */
export function promptOf(item: Item, { model, rollout }: Pick<RunConfig, 'model' | 'rollout'>): string {
  const { systemPrompt, systemText, instruction } = rollout;
  const asked = { ...item, prompt: { systemPrompt, systemText, instruction } };
  const prompt = formatPrompt(asked, model.kind === 'embedded' ? 'compact' : 'chat');
  if (prompt.kind === 'text') return prompt.text;
  const own = { role: 'system', content: '(the model’s own system prompt)' };
  const messages = prompt.messages[0].role === 'system' ? prompt.messages : [own, ...prompt.messages];
  const turns = messages.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`);
  return `${turns.join('')}<|im_start|>assistant\n${prompt.prefill}`;
}

const quoted = (words: readonly string[]): string => words.map((word) => `“${word}”`).join(', ');

export function rightWords({ answer, scoring }: Item): string {
  switch (scoring?.rule) {
    case undefined:
      return `“${answer}”; upper and lower case, commas and full stops do not count`;
    case 'number':
      return `any answer whose last number is the last one of “${answer}”`;
    case 'binary':
      return `any answer that says ${answer}`;
    case 'classes':
      return `any answer that names “${answer}” and no other of ${quoted(scoring.classes)}`;
    case 'names':
      return `any answer with ${quoted(scoring.right)}${scoring.wrong.length === 0 ? '' : ` and without ${quoted(scoring.wrong)}`}`;
  }
}

export function AsAsked({ item, config }: { item: Item; config: Pick<RunConfig, 'model' | 'rollout'> }) {
  return (
    <div class="as-asked stack">
      <pre>{promptOf(item, config)}</pre>
      <p class="explain">
        The model goes on from here. Its answer is the text between the last &lt;answer&gt; and
        &lt;/answer&gt;. Right is {rightWords(item)}.
        {config.model.kind === 'embedded'
          ? ''
          : ' The marks <|…|> are those of SmolLM2 and Qwen; other models have marks of their own.'}
      </p>
    </div>
  );
}
