/** What a person would call each preset; its own name is what links and files say. */
export const presetNames: Readonly<Record<string, string>> = {
  'ladder-12k': 'The ladder: the small model',
  'ladder-25k': 'The ladder: the middle model',
  'ladder-398k': 'The ladder: the large model',
  'order-1': 'Trained on order 1 alone',
  'order-2': 'Trained on order 2 alone',
  'order-3': 'Trained on order 3 alone',
  'order-4': 'Trained on order 4 alone',
  'swap-shortcut': 'Its thinking stops mattering',
  'swap-collapse': 'It stops thinking',
  'swap-100k': 'The shortcut, 4 times larger',
  'swap-398k': 'The shortcut, 16 times larger',
  'swap-no-artefact': 'The same without the shortcut',
  'swap-faithful': 'Paid for true reasoning',
  'swap-debiased': 'The shortcut seldom pays',
  'nano-order-1': 'It thinks better',
  'micro-collapse': 'It stops thinking, first world',
  'nano-collapse': 'It stops thinking, 4 times larger',
  'micro-faithful': 'Paid for true reasoning, first world',
  'nano-faithful': 'Paid for true reasoning, 4 × larger',
  'micro-debiased': 'The shortcut seldom pays, first world',
  'nano-debiased': 'The shortcut seldom pays, 4 × larger',
  'micro-sft-answers': 'Answers learned from examples',
  'micro-tom-rl': 'ToM-RL’s recipe, small',
  'micro-small-llms': 'The recipe of “Small LLMs …”, small',
  'hitom-mini': 'ToM-RL’s recipe on Hi-ToM’s stories',
  'tom-rl': 'ToM-RL at full size',
  'small-llms': '“Small LLMs …” at full size',
};

/** What each preset is for, in one sentence. */
export const presetDescriptions: Readonly<Record<string, string>> = {
  'ladder-12k':
    'Three sizes learned to think from the same stories; under the same reward for right answers, does this one keep thinking? A pilot, not counted.',
  'ladder-25k': 'The same with 25 thousand parameters.',
  'ladder-398k': 'The same with 396 thousand parameters: a minute or two on a laptop.',
  'order-1': 'The middle model of the ladder practises order 1 alone: what becomes of the other orders?',
  'order-2': 'The same with order 2.',
  'order-3': 'The same with order 3.',
  'order-4': 'The same with order 4, which its pretraining never showed.',
  'swap-shortcut':
    'A model that reasons a little is paid for form and answer alone, on a benchmark that a shortcut answers: which way pays more?',
  'swap-collapse': 'The same from another start: its thinking goes altogether.',
  'swap-100k':
    'The same with 101 thousand parameters, pretrained on the same tokens: does size keep the reasoning?',
  'swap-398k': 'The same with 396 thousand parameters: some ten minutes on a laptop.',
  'swap-no-artefact': 'The same where the shortcut answers little more than half: does the reasoning stay?',
  'swap-faithful': 'Does paying for true statements keep the reasoning?',
  'swap-debiased': 'Does the reasoning stay when the shortcut is seldom right in training?',
  'micro-collapse':
    'A weak reasoner is paid for form and answer only: within minutes its reasoning melts away.',
  'nano-collapse': 'The same with the larger model.',
  'micro-faithful': 'Does paying for true statements keep the reasoning?',
  'nano-faithful': 'Does paying for true statements keep the reasoning of the larger model?',
  'micro-debiased': 'Does the reasoning stay when the shortcut is seldom right?',
  'nano-debiased': 'The same with the larger model: is it the shortcut that pays?',
  'nano-order-1':
    'The contrast: a model that follows order-1 stories fairly well is paid, and follows them better.',
  'micro-sft-answers':
    'The control: the answers are learned by supervised fine-tuning (SFT), with no reward at all.',
  'micro-tom-rl': 'The recipe of ToM-RL (arXiv 2504.01698) in all but size: GRPO and its reward.',
  'micro-small-llms':
    'The recipe of “Small LLMs do not learn a generalizable theory of mind” (arXiv 2507.15788) in all but size.',
  'hitom-mini':
    'A model of 158 thousand parameters that reads stories by Hi-ToM’s recipe is trained as ToM-RL trains.',
  'tom-rl': 'ToM-RL at full size: Qwen2.5-0.5B by LoRA. It wants a GPU, a download of 1 GB, and hours.',
  'small-llms':
    'The recipe of arXiv 2507.15788 at full size: Qwen2.5-0.5B by LoRA. A GPU, a download of 1 GB, and hours.',
};
