/** Names, descriptions and groups of the presets. Links and files use the preset's own name. */
import { presets, watchWords } from '../../run/config/presets';

const mixes = {
  'mix-hitom': 'Hi-ToM',
  'mix-exploretom': 'ExploreToM',
  'mix-who-knows': 'who knows',
  'mix-hitom-exploretom': 'Hi-ToM and ExploreToM',
  'mix-hitom-who-knows': 'Hi-ToM and who knows',
  'mix-exploretom-who-knows': 'ExploreToM and who knows',
  'mix-all': 'all three',
};

const ofMix =
  'A training mix of arXiv 2507.15788 at full size: 900 questions to train on, 300 to report. “Who knows” are pairs of a yes/no and a list question, which replace FANToM. Stories, orders, shares and KL are ours.';

export const presetNames: Readonly<Record<string, string>> = {
  'ladder-12k': 'The ladder: the small model',
  'ladder-25k': 'The ladder: the middle model',
  'ladder-100k': 'The ladder: a fourth model',
  'ladder-398k': 'The ladder: the large model',
  ...Object.fromEntries([1, 2, 3, 4].map((order) => [`order-${order}`, `Trained on order ${order} alone`])),
  'swap-shortcut': 'Its thinking stops mattering',
  'swap-no-artefact': 'The same without the shortcut',
  'swap-faithful': 'Paid for correct reasoning',
  'swap-debiased': 'The shortcut seldom pays',
  'swap-sft-answers': 'Answers learned from examples',
  'hitom-mini': 'ToM-RL’s recipe on Hi-ToM’s stories',
  'first-run-135m': 'First run on a real model',
  'first-run-135m-rare-shortcut': 'What if the shortcut rarely works',
  'first-run-135m-faithful': 'What if correct reasoning is paid',
  'first-run-135m-short': 'What if length costs',
  'first-run-0.5b': 'First run on a model of 0.5 billion',
  'start-135m': 'The start of the first run',
  'tom-rl': 'ToM-RL at full size',
  'small-llms': '“Small LLMs …” at full size',
  'hitom-mini-factual': 'Hi-ToM’s stories, 30 % factual',
  'mix-hitom-mini': 'Mix: Hi-ToM, on a small model',
  ...Object.fromEntries(Object.entries(mixes).map(([preset, data]) => [preset, `Mix: ${data}`])),
};

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
  ...Object.fromEntries(Object.keys(mixes).map((preset) => [preset, ofMix])),
};

const whatIfs: readonly string[] = [
  ...['swap-debiased', 'swap-faithful', 'swap-no-artefact', 'swap-sft-answers', 'hitom-mini-factual'],
  ...['order-1', 'order-2', 'order-3', 'order-4'],
  ...['first-run-135m-rare-shortcut', 'first-run-135m-faithful', 'first-run-135m-short'],
];
const others = Object.keys(presets).filter((name) => !whatIfs.includes(name));

export const presetGroups = [
  {
    title: 'Toys',
    about: 'Small models that come with this page. They train in seconds or minutes.',
    presets: others.filter((name) => presets[name].model.kind === 'embedded'),
  },
  { title: 'What if …?', about: 'One thing is changed in a run of another group.', presets: whatIfs },
  {
    title: 'Real models',
    about:
      'Language models from the Hugging Face Hub. A first run takes minutes or hours, a full-size one days.',
    presets: others.filter((name) => presets[name].model.kind !== 'embedded'),
  },
];
