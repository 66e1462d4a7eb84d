/**
 * Writes docs/read-the-code.md, the way of the data in eight stops with file and line: `npm run read-the-code`. Every place
 * is named by words that stand on exactly one line of its file, so a stop that has moved or gone is an error here, and a
 * test fails where the page's line numbers are out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');

export interface Place {
  file: string;
  /** What the line says, or the part of it that stands on no other line. */
  line: string;
  says: string;
}

interface Stop {
  title: string;
  places: Place[];
}

export const stops: readonly Stop[] = [
  {
    title: 'A configuration',
    places: [
      {
        file: 'src/run/config.ts',
        line: 'export const runConfigShape',
        says: 'everything that makes a run, as a schema; its TypeScript type is inferred from it',
      },
      { file: 'src/run/presets.ts', line: 'export const presets:', says: 'the runs that the page offers' },
    ],
  },
  {
    title: 'Items',
    places: [
      {
        file: 'src/rl/data.ts',
        line: 'export function openItems',
        says: 'training and held-out items of a run',
      },
      {
        file: 'src/tom/generate.ts',
        line: 'export function generateDataset',
        says: 'a story, a question, and the answer that the simulated beliefs give',
      },
    ],
  },
  {
    title: 'Rollouts',
    places: [
      {
        file: 'src/rl/step.ts',
        line: 'export async function reinforceStep',
        says: 'one training step, stops 3 to 7 in order: read it beside the paper',
      },
      { file: 'src/tom/prompts.ts', line: 'export function formatPrompt', says: 'an item as a prompt' },
      { file: 'src/rl/gather.ts', line: 'export async function gatherSamples', says: 'the batch of a step' },
      {
        file: 'src/model/decoder.ts',
        line: 'const sampled = sampleHead(',
        says: 'the next token of every row and its log-probability, drawn on the device',
      },
    ],
  },
  {
    title: 'Rewards',
    places: [
      { file: 'src/reward/score.ts', line: 'export function score(', says: 'the reward R of one response' },
      { file: 'src/reward/presets.ts', line: 'export const presets', says: 'what each preset pays for' },
    ],
  },
  {
    title: 'Advantages',
    places: [
      {
        file: 'src/run/advantages.ts',
        line: 'export function computeAdvantages',
        says: 'REINFORCE++ and its neighbours; the formulas stand at the top of the file',
      },
      {
        file: 'src/run/advantages.ts',
        line: '-kl.coefficient * estimateKl(',
        says: 'the KL of REINFORCE++: k1 in the reward, by token, -beta KL_t',
      },
      { file: 'src/run/kl.ts', line: 'export function estimateKl', says: 'its estimators k1, k2, k3' },
      {
        file: 'src/run/advantages.ts',
        line: 'accumulated = rewards[token] + gamma * accumulated',
        says: 'the return from a token on, the outcome added at the last one',
      },
      {
        file: 'src/run/advantages.ts',
        line: 'function whiten(',
        says: 'A = (G - mean) / std over all response tokens of the batch',
      },
    ],
  },
  {
    title: 'The loss',
    places: [
      {
        file: 'src/rl/loss.ts',
        line: 'export function policyLoss',
        says: 'the loss of a micro-batch and its gradient by every log-probability',
      },
      {
        file: 'src/rl/loss.ts',
        line: 'const clippedRatio =',
        says: 'the clip: the ratio between 1 - clipLow and 1 + clipHigh',
      },
      {
        file: 'src/rl/loss.ts',
        line: 'if (clippedRatio * advantage < objective)',
        says: 'the lesser of both objectives; where the clip wins the gradient is 0',
      },
      {
        file: 'src/rl/loss.ts',
        line: 'loss += weight * settings.kl.coefficient * divergence',
        says: 'the KL of GRPO and its kin: in the loss',
      },
    ],
  },
  {
    title: 'The update',
    places: [
      {
        file: 'src/model/training-pass.ts',
        line: 'export function backwardPass',
        says: 'that gradient back through the model, block by block',
      },
      {
        file: 'src/model/transformer.ts',
        line: 'export function sequenceBlock',
        says: 'the transformer block that is gone through, forward and back',
      },
      { file: 'src/ops/adamw.ts', line: 'export function adamW(', says: 'AdamW on one flat vector' },
    ],
  },
  {
    title: 'Records, storage, charts',
    places: [
      { file: 'src/run/metrics.ts', line: 'export function stepRecord', says: 'the numbers of a step' },
      {
        file: 'src/rl/trainer.ts',
        line: "await emit({ type: 'step', record })",
        says: 'the trainer hands them out as an event',
      },
      {
        file: 'workers/training.ts',
        line: 'async function forward(',
        says: 'the worker forwards events to the page and the storage',
      },
      {
        file: 'src/store/runs.ts',
        line: 'appendEvents: (',
        says: 'they are written, with a checkpoint in one transaction',
      },
      {
        file: 'src/run/history.ts',
        line: 'export function historyAfter',
        says: 'events folded into a history',
      },
      {
        file: 'src/app/run-view.ts',
        line: 'export function fold(',
        says: 'what the page holds of the run it shows',
      },
      { file: 'src/app/charts.tsx', line: 'export function Charts(', says: 'the charts' },
    ],
  },
];

/** The number of the one line that holds the words. @throws where none does, or several do */
export function lineOf(
  { file, line }: Omit<Place, 'says'>,
  text = readFileSync(join(root, file), 'utf8'),
): number {
  const found = text.split('\n').flatMap((each, index) => (each.includes(line) ? [index + 1] : []));
  if (found.length === 1) return found[0];
  const where = found.length === 0 ? 'is not there' : `stands on the lines ${found.join(', ')}`;
  throw new Error(`${file}: "${line}" ${where}. Name the place anew in scripts/read-the-code.ts.`);
}

export function readingPage(): string {
  const place = (each: Place): string => {
    const at = lineOf(each);
    return `- [${each.file}:${at}](../${each.file}#L${at}): ${each.says}`;
  };
  return [
    '# Read the code',
    '',
    'The way of the data in eight stops, from a configuration to a chart. [architecture.md](architecture.md) has the rooms and',
    'what they may import, [algorithms.md](algorithms.md) every formula beside its file. Written by `npm run read-the-code`.',
    '',
    ...stops.flatMap(({ title, places }, index) => [
      `## ${index + 1}. ${title}`,
      '',
      ...places.map(place),
      '',
    ]),
  ].join('\n');
}

export const readingFile = join(root, 'docs', 'read-the-code.md');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(readingFile, readingPage());
}
