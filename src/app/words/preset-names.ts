/** What a person would call each preset; its own name is what links and files say. */
export const presetNames: Readonly<Record<string, string>> = {
  'ladder-12k': 'The ladder: the small model',
  'ladder-25k': 'The ladder: the middle model',
  'ladder-100k': 'The ladder: a fourth model',
  'ladder-398k': 'The ladder: the large model',
  'order-1': 'Trained on order 1 alone',
  'order-2': 'Trained on order 2 alone',
  'order-3': 'Trained on order 3 alone',
  'order-4': 'Trained on order 4 alone',
  'swap-shortcut': 'Its thinking stops mattering',
  'swap-no-artefact': 'The same without the shortcut',
  'swap-faithful': 'Paid for true reasoning',
  'swap-debiased': 'The shortcut seldom pays',
  'swap-sft-answers': 'Answers learned from examples',
  'hitom-mini': 'ToM-RL’s recipe on Hi-ToM’s stories',
  'tom-rl': 'ToM-RL at full size',
  'small-llms': '“Small LLMs …” at full size',
};
