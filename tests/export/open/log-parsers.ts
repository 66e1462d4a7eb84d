/** The parsers of other programs' logs, with small ones to damage. */
import { openRun } from '../../../src/export/open/open-run';
import { quickFile } from '../../fixtures/quick-file';
import type { Parser } from '../../model/parsers';

const records = [1, 2, 3].map((step) => ({
  step,
  reward: step / 4,
  'completions/mean_length': 20 + step,
  kl: 0,
}));
const logs = {
  'trainer_state.json': JSON.stringify({ log_history: records }),
  'verl.jsonl': records.map(({ step, reward }) => JSON.stringify({ step, data: { reward } })).join('\n'),
  'verl.log': records
    .map(({ step, reward }) => `step:${step} - critic/rewards/mean:${reward} - time:1.5`)
    .join('\n'),
  'wandb.csv': ['"Step","train/reward"', ...records.map(({ step, reward }) => `"${step}","${reward}"`)].join(
    '\n',
  ),
};

export const logParsers: readonly Parser[] = Object.entries(logs).map(([name, text]) => ({
  name,
  good: new TextEncoder().encode(text),
  read: (bytes) => openRun(quickFile(bytes, name)),
}));
