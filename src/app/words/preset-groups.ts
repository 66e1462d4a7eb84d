/** Groups of the experiments, which contain every preset. */
export const presetGroups = [
  {
    title: 'Toys',
    about: 'Small models that come with this page. They train in seconds or minutes.',
    presets: [
      ...['ladder-12k', 'ladder-25k', 'ladder-100k', 'ladder-398k'],
      ...['swap-shortcut', 'hitom-mini', 'mix-hitom-mini'],
    ],
  },
  {
    title: 'What if …?',
    about: 'One thing is changed in a run of another group.',
    presets: [
      ...['swap-debiased', 'swap-faithful', 'swap-no-artefact', 'swap-sft-answers', 'hitom-mini-factual'],
      ...['order-1', 'order-2', 'order-3', 'order-4'],
      ...['first-run-135m-rare-shortcut', 'first-run-135m-faithful', 'first-run-135m-short'],
    ],
  },
  {
    title: 'Real models',
    about:
      'Language models from the Hugging Face Hub. A first run takes minutes or hours, a full-size one days.',
    presets: [
      ...['first-run-135m', 'first-run-0.5b', 'start-135m', 'tom-rl', 'small-llms'],
      ...['mix-hitom', 'mix-exploretom', 'mix-who-knows', 'mix-hitom-exploretom'],
      ...['mix-hitom-who-knows', 'mix-exploretom-who-knows', 'mix-all'],
    ],
  },
] as const;
