/** Groups of the experiments, which contain every preset. */
import { presets } from '../../run/config/presets';

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
