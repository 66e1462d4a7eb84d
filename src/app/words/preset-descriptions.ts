/** Purpose of each preset, in short. */
import { watchWords } from '../../run/config/presets';

const mixed = (data: string): string =>
  `A training mix of arXiv 2507.15788 at full size: ${data}. 900 questions to train on, 300 to report. Stories, orders, shares and KL are ours.`;

export const presetDescriptions: Readonly<Record<string, string>> = {
  'ladder-12k':
    'Three sizes learned to think from the same stories, and are paid for right answers. Does this one keep thinking? A shorter training of one start of the study, with its own schedule: in the study’s 150 steps this start did not keep thinking.',
  'ladder-25k': 'A model of 25 thousand weights that answers most hard questions at the start.',
  'ladder-100k': 'A model of 100 thousand weights: of five such starts the study saw some keep thinking.',
  'ladder-398k': 'A model of 396 thousand weights, which did not keep thinking in the study’s 150 steps.',
  'order-1': 'The middle model of the ladder practises order 1 alone: what becomes of the other orders?',
  'order-2': 'The middle model of the ladder practises order 2 alone.',
  'order-3': 'The middle model of the ladder practises order 3 alone.',
  'order-4': 'The middle model practises order 4 alone, which its pretraining never showed.',
  'swap-shortcut': 'The study’s run: the middle model for 150 steps, on questions that a shortcut answers.',
  'swap-no-artefact': 'The same where the shortcut answers little more than half: does the reasoning stay?',
  'swap-faithful': 'Does paying for true statements keep the reasoning?',
  'swap-debiased': 'Does the reasoning stay when the shortcut is seldom right in training?',
  'swap-sft-answers': 'The control: answers learned by supervised fine-tuning (SFT), without a reward.',
  'hitom-mini': 'A model of 350 thousand weights on stories by Hi-ToM’s recipe, trained as in ToM-RL.',
  'first-run-135m': `SmolLM2-135M-Instruct, 98 MB, from a start that thinks: minutes on two cores. ${watchWords['first-run-135m']}`,
  'first-run-135m-rare-shortcut': `The first run where the shortcut is right on less than half. ${watchWords['first-run-135m-rare-shortcut']}`,
  'first-run-135m-faithful': `The first run, paid for true statements instead of answers alone. ${watchWords['first-run-135m-faithful']}`,
  'first-run-135m-short': `The first run where an answer as long as the limit loses 1, and a shorter one in proportion. ${watchWords['first-run-135m-short']}`,
  'first-run-0.5b': `Qwen2.5-0.5B-Instruct, 1 GB, learns to think from 40 batches of examples, then from rewards. Untried on the real weights. ${watchWords['first-run-0.5b']}`,
  'start-135m':
    'Makes the adapter that the first run starts from: SmolLM2-135M-Instruct learns to think from 60 batches of examples, without rewards.',
  'tom-rl':
    'ToM-RL at full size: Qwen2.5-0.5B by LoRA, 800 steps. It needs a download of 1 GB and takes days on most computers.',
  'small-llms':
    'The recipe of arXiv 2507.15788 at full size: Qwen2.5-0.5B by LoRA, 1,125 steps. It needs a download of 1 GB and takes days on most computers. The KL and the stories are ours.',
  'hitom-mini-factual':
    'ToM-RL’s recipe where three of ten questions are simpler. Which are simpler is ours: those after reality, that ask no belief.',
  'mix-hitom-mini':
    'The first mix of arXiv 2507.15788 at the size of an embedded model: 900 questions to train on, 300 to report. Rate, temperature, orders, KL and the steps are ours.',
  'mix-hitom': mixed('Hi-ToM alone'),
  'mix-exploretom': mixed('ExploreToM alone'),
  'mix-who-knows': mixed('Only pairs of a yes/no and a list question, which replace FANToM'),
  'mix-hitom-exploretom': mixed('Hi-ToM and ExploreToM, five to three'),
  'mix-hitom-who-knows': mixed('Hi-ToM and the pairs that replace FANToM, in equal shares'),
  'mix-exploretom-who-knows': mixed('ExploreToM and the pairs that replace FANToM, in equal shares'),
  'mix-all': mixed('Hi-ToM, ExploreToM and the pairs that replace FANToM, in equal shares'),
};
