/** What the form says about data: trained on, evaluated on, and named but not here. */
import type { RunConfig } from '../../run/config/config';
import { questionCounts } from '../../run/config/evaluation-plan';
import { importedIds, importedSource } from '../../run/config/imported';
import { defaultPreset, presetOf, presets } from '../../run/config/presets';
import type { DatasetRecord } from '../../store/records';
import { withChoice } from '../settings/groups';

export function trainedOn(config: RunConfig, set: DatasetRecord): RunConfig {
  const data = { ...config.data, source: importedSource(set.id), orders: set.orders.slice(0, 5) };
  // What is trained on is judged by stories of its own that are set apart; as a task besides it would come twice.
  const others = withoutTask(config, set.id);
  // Asked for by name, the hard questions are taken from stories that would be trained on.
  const { hard: hardItems } = questionCounts(config);
  return { ...others, data, evaluation: { ...others.evaluation, hardItems } };
}

export function trainedOnGenerated(config: RunConfig): RunConfig {
  // The preset of a run from elsewhere is none of ours.
  return { ...config, data: (presetOf(config) ?? presets[defaultPreset]).data };
}

export function withTask(config: RunConfig, id: string): RunConfig {
  const { imported = [] } = config.evaluation;
  return { ...config, evaluation: { ...config.evaluation, imported: [...imported, id] } };
}

export function withoutTask(config: RunConfig, id: string): RunConfig {
  const { imported = [], ...evaluation } = config.evaluation;
  const rest = imported.filter((other) => other !== id);
  return { ...config, evaluation: rest.length === 0 ? evaluation : { ...evaluation, imported: rest } };
}

/** The first run of a real model on the data of a configuration. */
export function withReader(config: RunConfig): RunConfig {
  const first = presets['first-run-135m'];
  const { imported } = config.evaluation;
  const evaluation = imported === undefined ? first.evaluation : { ...first.evaluation, imported };
  return { ...first, seed: config.seed, data: config.data, evaluation };
}

/** Presets whose models read the stories of a source and no others. */
const readers: Readonly<Record<string, string | undefined>> = {
  swap: 'ladder-25k',
  'hitom-short': 'hitom-mini',
  'hitom-short-factual': 'hitom-mini',
};

/** Takes other stories, and with them a model that reads them. */
export function withStories(config: RunConfig, source: string): RunConfig {
  const { data } = withChoice(config, 'data.source', source);
  const chosen = { ...config, data: { ...data, source } };
  const reader = readers[source];
  if (config.model.kind !== 'embedded') return chosen;
  if (reader === undefined) return withReader(chosen);
  if (readers[config.data.source] === reader) return chosen;
  const home = presets[reader];
  return { ...home, seed: config.seed, data: { ...home.data, source, orders: data.orders } };
}

/** Ids of the data sets that a configuration names and this browser has not got. */
export function missingData(config: RunConfig, sets: readonly DatasetRecord[] | null): string[] {
  return sets === null ? [] : importedIds(config).filter((id) => !sets.some((set) => set.id === id));
}
