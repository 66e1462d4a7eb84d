/** The texts of an export: README, list of lost settings, and the script that starts verl. */
import { adapterPlaceOf } from '../../run/config/saved-adapter';
import { isOnHub, type Lost, type Mapped } from './mapping';
import { code, escaped } from '../markdown';
import { cardHead } from '../model-card';
import { trlVersion } from './trl-settings';
import { addedVerlKeys, verlVersion } from './verl-settings';

export function lostText(lost: readonly Lost[]): string {
  const lines = lost.map(({ what, instead }) => `- **${what}**: ${instead}.`);
  return ['# What this export loses', '', 'All other settings of the run have a counterpart in the exported settings.', '', ...lines, ''].join('\n'); // prettier-ignore
}

export function readme(mapped: Mapped, link: string, name: string): string {
  const { engine, config } = mapped;
  const run =
    engine === 'trl'
      ? ['pip install "trl[peft]" pyarrow', 'python check.py', 'python run-trl.py --out trained --steps 5   # then without --steps'] // prettier-ignore
      : [
          'pip install verl vllm',
          'python check.py',
          'bash run-verl.sh trainer.total_training_steps=5   # then without',
        ];
  const option = config.training.mode === 'lora' ? '--adapter' : '--model';
  const trained = engine === 'trl' ? 'trained' : '<folder that verl saved in the layout of Hugging Face>';
  return [
    ...cardHead(config),
    `# ${escaped(name)}`,
    '',
    `A run of Marble for ${engine === 'trl' ? `TRL (made for ${trlVersion})` : `verl on Ray (made for ${verlVersion})`}. The same questions in the same order, the same reward bit for bit, the same start.`, // prettier-ignore
    '',
    '```',
    ...run,
    '```',
    '',
    '| file | what it is |',
    '|---|---|',
    '| `train.parquet`, `val.parquet` | the prompts in training order, and the evaluation set; `extra_info.item` is the input of the reward |', // prettier-ignore
    '| `reward.py` | the reward, standard library only: `compute_score` for verl, `marble_reward` for TRL |',
    '| `check.py`, `first-prompts.json` | checks that the tokenizer and Python on this machine agree with Marble |',
    '| `tokenizer/` | the tokenizer, as a fast tokenizer for every model type; load it from here, not from the model’s folder |',
    ...(isOnHub(config.model) ? [] : ['| `model/` | the initial weights |']),
    ...(adapterPlaceOf(config) === null ? [] : ['| `adapter/` | the adapter from which the run starts |']),
    engine === 'trl'
      ? '| `run-trl.py`, `trl-settings.json` | the script and its settings under TRL’s names |'
      : '| `run-verl.sh` | the command with its overrides |',
    '| `lost-fields.md` | settings without a counterpart |',
    '| `link.txt` | the run in Marble |',
    '',
    `To evaluate the trained weights on the run’s own questions: \`npx marble-rl evaluate "$(cat link.txt)" ${option} ${trained}\`. The page takes a trained adapter as the start of a run. Weights & Biases and TensorBoard show the curves.`,
    '',
    '## What is lost',
    '',
    ...mapped.lost.map(({ what, instead }) => `- ${what}: ${instead}.`),
    '',
    `Link: ${code(link)}`,
    '',
  ].join('\n');
}

/** Quotes an override for the shell: double quotes expand `$FOLDER`, single quotes keep the double quotes of Hydra strings. */
function override(key: string, value: unknown): string {
  const plus = (addedVerlKeys as readonly string[]).includes(key) ? '+' : '';
  const text = Array.isArray(value) ? `[${value.join(',')}]` : typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value); // prettier-ignore
  const quote = text.includes('"') ? "'" : '"';
  return `  ${quote}${plus}${key}=${text}${quote}`;
}

export function verlScript(mapped: Mapped): string {
  const { config, settings } = mapped;
  const { model } = config;
  const fetched = isOnHub(model)
    ? [`MODEL="\${MODEL:-$(hf download ${model.repository} --revision ${model.revision} --quiet)}"`]
    : ['MODEL="${MODEL:-$FOLDER/model}"'];
  return [
    '#!/usr/bin/env bash',
    `# verl ${verlVersion} on Ray. More overrides may follow the script’s name: bash run-verl.sh trainer.n_gpus_per_node=8`,
    'set -euo pipefail',
    'FOLDER="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"',
    ...fetched,
    'exec python3 -m verl.trainer.main_ppo \\',
    ...[...settings].map(([key, value]) => `${override(key, value)} \\`),
    '  "$@"',
    '',
  ].join('\n');
}
