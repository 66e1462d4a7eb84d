/** The model card of exported weights: a README.md for a hub, with the code to load the files. */
import type { RunConfig } from '../run/config/config';
import type { ModelChoice } from '../run/config/model-config';
import type { RunSummary } from '../run/record/summary';
import { encodeLink } from '../share/settings-link';
import { modelName, runName } from '../share/name';
import { warmStepsOf } from '../run/config/warm-start';
import { presetOf } from '../run/config/presets';

const onOneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim();

/** Escapes every character that Markdown, HTML or a link could begin with. Addresses, instructions and names keep their text. */
export function escaped(text: string): string {
  return onOneLine(text)
    .replaceAll(/[\\`*_{}[\]()#!|<>~:&@]/g, String.raw`\$&`)
    .replaceAll(/www\./gi, (found) => `${found.slice(0, -1)}\\.`);
}

/** A code span, fenced by more backticks than the text has in a row. */
export function code(text: string): string {
  const line = onOneLine(text);
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `\`${line}\`` : `${fence} ${line} ${fence}`;
}

/** Front matter for a hub. It states a licence only for Marble's embedded models. */
const cardHead = ({ model, training }: Pick<RunConfig, 'model' | 'training'>): string =>
  [
    '---',
    ...(model.kind === 'embedded' ? ['license: apache-2.0'] : []),
    ...(model.kind === 'hub' ? [`base_model: ${model.repository.split(':')[0]}`] : []),
    `library_name: ${training.mode === 'lora' ? 'peft' : 'transformers'}`,
    'pipeline_tag: text-generation',
    'tags: [marble, reinforcement-learning, theory-of-mind]',
    '---',
  ].join('\n');

/** The figures of a run and its verdict, as paragraphs. */
function resultsOf({ start, accuracy, easy, hard, responseLength, verdict }: RunSummary): string[] {
  const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
  const figures = [
    ['right answers', accuracy, percent],
    ['right on easy questions', easy, percent],
    ['right on hard questions', hard, percent],
    ['mean length in tokens', responseLength, (value: number) => value.toFixed(1)],
  ] as const;
  const rows = figures.flatMap(([name, change, format]) =>
    change === null ? [] : [`| ${name} | ${format(change.from)} | ${format(change.to)} |`],
  );
  const head = `| greedy, on the run’s fixed evaluation set | at step ${start} | at its last evaluation |`;
  const against = start === 0 ? '' : `, against the end of its warm start at step ${start}`;
  return [
    [head, '|---|---|---|', ...rows].join('\n'),
    ...(verdict === null ? [] : [`The run’s verdict${against}: ${verdict.ending}.`]),
  ];
}

const beforeName: Record<ModelChoice['kind'], string> = {
  embedded: 'Marble’s embedded model ',
  hub: '',
  files: 'the model of the files ',
};

/**
 * @param step training step of the weights
 * @param summary summary of the run; null if unknown
 */
export async function modelCard(
  config: RunConfig,
  step: number,
  summary: RunSummary | null,
): Promise<string> {
  const { model, training, reward, algorithm, data } = config;
  const warmSteps = warmStepsOf(config);
  const hasRewards = config.method === 'rl' && step > warmSteps;
  const how = [
    ...(warmSteps > 0 || !hasRewards ? ['supervised training'] : []),
    ...(hasRewards ? [algorithm.name] : []),
  ].join(' and ');
  const adapter = training.mode === 'lora' ? training.adapter : undefined;
  const started = adapter === undefined ? '' : ` Training started from the adapter ${code(adapter)}.`;
  const link = presetOf(config) && (await encodeLink(config));
  const load =
    training.mode === 'lora'
      ? ['from peft import PeftModel', 'model = PeftModel.from_pretrained(base_model, "this folder")']
      : [
          'from transformers import AutoModelForCausalLM, AutoTokenizer',
          'model = AutoModelForCausalLM.from_pretrained("this folder")',
          'tokenizer = AutoTokenizer.from_pretrained("this folder/tokenizer")',
        ];
  const paragraphs = [
    cardHead(config),
    `# ${escaped(runName(config))}`,
    `${training.mode === 'lora' ? 'A LoRA adapter for' : 'All weights of'} ${beforeName[model.kind]}${model.kind === 'files' ? code(model.name) : modelName(model)} after ${step} steps of ${how} on ${data.source} questions of orders ${data.orders.join(', ')}${hasRewards ? ` with the reward ${reward.custom === undefined ? reward.preset : code(reward.custom)}` : ''}, by Marble.${started}`,
    ['```python', ...load, '```'].join('\n'),
    ...(training.mode === 'full'
      ? [
          'transformers 5 chooses the tokenizer class by the model type: load the tokenizer from `tokenizer/`, which names its class.',
        ]
      : []),
    ...(summary === null ? [] : resultsOf(summary)),
    'Trained with rule-based rewards on generated stories, for experiments with such questions only.',
    ...(link === null ? [] : [`The run in Marble: ${code(link)}`]),
  ];
  return `${paragraphs.join('\n\n')}\n`;
}
