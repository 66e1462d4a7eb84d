/** Reads and changes the data of a configuration: training source and evaluation tasks. */
import type { RunConfig } from '../../run/config/config';
import { questionCounts } from '../../run/config/evaluation-plan';
import { importedId, importedSource } from '../../run/config/imported';
import { isEmbedded } from '../../run/config/model-config';
import { presets } from '../../run/config/presets';
import type { DatasetRecord } from '../../store/records';
import { withChoice } from '../settings/groups';

export function trainedOn(config: RunConfig, set: DatasetRecord): RunConfig {
  const data = { ...config.data, source: importedSource(set.id), orders: set.orders.slice(0, 5) };
  // The training source is evaluated on its own held-out stories. As a task it would be evaluated twice.
  const others = withoutTask(config, set.id);
  // An explicit number of hard questions takes them from stories that would otherwise be trained on.
  const { hard: hardItems } = questionCounts(config);
  return { ...others, data, evaluation: { ...others.evaluation, hardItems } };
}

/** Settings without the number of hard questions that `trainedOn` states, where it is the usual one. */
function withoutStatedHard(config: RunConfig): RunConfig {
  const { hardItems, ...evaluation } = config.evaluation;
  const isOwn = importedId(config.data.source) === null || hardItems !== questionCounts({ evaluation }).hard;
  return isOwn ? config : { ...config, evaluation };
}

export function withTask(config: RunConfig, id: string): RunConfig {
  const { imported = [] } = config.evaluation;
  return { ...config, evaluation: { ...config.evaluation, imported: [...new Set([...imported, id])] } };
}

export function withoutTask(config: RunConfig, id: string): RunConfig {
  const { imported = [], ...evaluation } = config.evaluation;
  const rest = imported.filter((other) => other !== id);
  return { ...config, evaluation: rest.length === 0 ? evaluation : { ...evaluation, imported: rest } };
}

/** Settings of a preset on other data, with the seed and the imported tasks of `config`. */
function withPreset(name: string, { seed, evaluation: { imported } }: RunConfig, data: RunConfig['data']) {
  const preset = presets[name];
  const evaluation = { ...preset.evaluation, ...(imported && { imported }) };
  return { ...preset, seed, data, evaluation };
}

/** Returns the first run of a real model, on the data and with the seed of `config`. */
export function withReader(config: RunConfig): RunConfig {
  const reader = withPreset('first-run-135m', config, config.data);
  if (importedId(config.data.source) === null) return reader;
  const { hard: hardItems } = questionCounts(reader); // as in `trainedOn`
  return { ...reader, evaluation: { ...reader.evaluation, hardItems } };
}

/** Preset of the embedded model that reads a source. Such a model reads no other stories. */
const readers: Readonly<Record<string, string | undefined>> = {
  swap: 'ladder-25k',
  'hitom-short': 'hitom-mini',
  'hitom-short-factual': 'hitom-mini',
};

/** Switches to another source of stories, and if the model does not read them, to one that does. */
export function withStories(config: RunConfig, source: string): RunConfig {
  const { data, model } = withChoice(config, 'data.source', source);
  const chosen = { ...withoutStatedHard(config), data: { ...data, source } };
  const reader = readers[source];
  if (model.kind !== 'embedded') return chosen;
  if (reader === undefined) return withReader(chosen);
  if (isEmbedded(model.name) && readers[presets[model.name].data.source] === reader) return chosen;
  return withPreset(reader, config, { ...presets[reader].data, source, orders: data.orders });
}
