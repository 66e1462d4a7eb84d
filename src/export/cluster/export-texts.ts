/** The texts of an export: README and list of lost settings. */
import { isOnHub, type Lost, type Mapped } from './mapping';
import { code, escaped } from '../markdown';
import { cardHead } from '../model-card';
import { trlVersion } from './trl-settings';

export function lostText(lost: readonly Lost[]): string {
  const lines = lost.map(({ what, instead }) => `- **${what}**: ${instead}.`);
  return ['# What this export loses', '', 'All other settings of the run have a counterpart in the exported settings.', '', ...lines, ''].join('\n'); // prettier-ignore
}

export function readme(mapped: Mapped, link: string, name: string): string {
  const { config } = mapped;
  return [
    ...cardHead(config),
    `# ${escaped(name)}`,
    '',
    `A run of Marble for TRL (made for ${trlVersion}). The same questions in the same order, the same reward bit for bit, the same start.`, // prettier-ignore
    '',
    '```',
    'pip install "trl[peft]" pyarrow',
    'python check.py',
    'python run-trl.py --out trained --steps 5   # then without --steps',
    '```',
    '',
    '| file | what it is |',
    '|---|---|',
    '| `train.parquet`, `val.parquet` | the prompts in training order, and the evaluation set; `item` is the input of the reward |', // prettier-ignore
    '| `reward.py` | the reward, standard library only |',
    '| `check.py`, `first-prompts.json` | checks that the tokenizer and Python on this machine agree with Marble |',
    '| `tokenizer/` | the tokenizer, as a fast tokenizer for every model type; load it from here, not from the model’s folder |',
    ...(isOnHub(config.model) ? [] : ['| `model/` | the initial weights |']),
    '| `run-trl.py`, `trl-settings.json` | the script and its settings under TRL’s names |',
    '| `lost-fields.md` | settings without a counterpart |',
    '| `link.txt` | the run in Marble |',
    '',
    'Open `trained/marble.zip` in Marble, which asks the weights its own questions and judges them. Weights & Biases and TensorBoard show the curves.',
    '',
    '## What is lost',
    '',
    ...mapped.lost.map(({ what, instead }) => `- ${what}: ${instead}.`),
    '',
    `Link: ${code(link)}`,
    '',
  ].join('\n');
}
