/** Prints the memory and time that a run or a sweep needs on this machine, before it begins. */
import {
  estimate,
  measureSpeed,
  notBegun,
  openEngine,
  planRun,
  refuseRun,
  secondsLeft,
  type BackendName,
  type Engine,
} from '../../index';
import { parseModelConfig, type ModelConfig } from '../../model/config';
import { openSource, type ModelSource } from '../../model/source/source';
import { surveyModel } from '../../model/source/survey';
import type { ImportedItems } from '../../rl/data';
import type { RunConfig } from '../../run/config/config';
import { configKey } from '../../run/config/fields';
import {
  durationWords,
  megabytes,
  type RunParts,
  type RunPlan,
  type RunSoFar,
  type Speed,
} from '../../run/estimate';
import type { SweepRun } from '../../run/sweep/sweep';
import { backendOf } from '../machine';
import { importedItemsOf, modelSourceOf, plannedSourceOf, type Places } from '../model-places';
import type { Terminal } from '../terminal';

/**
 * Plans a run and prints its needs.
 *
 * @returns seconds of each part of the run
 * @throws MarbleError if the run does not fit into memory; names the setting to lower
 */
export async function plannedParts(
  engine: Engine,
  source: ModelSource,
  soFar: RunSoFar,
  imported: ImportedItems,
  terminal: Terminal,
): Promise<RunParts<number>> {
  const { config } = soFar;
  const { model, known } = await dryRun(engine.backend, source, config, imported);
  const parts = estimate(known, await measureSpeed(engine, config.training));
  const memory = megabytes(known.bytes.peak);
  const time = durationWords(secondsLeft(parts, soFar));
  terminal.say(`Needs ${memory} of memory and takes at most about ${time}, by a dry run of one step.`);
  const refusal = await refuseRun(engine, model, config, { imported, known });
  if (refusal) throw refusal;
  return parts;
}

async function dryRun(
  backend: BackendName,
  source: ModelSource,
  config: RunConfig,
  imported: ImportedItems,
): Promise<{ model: ModelConfig; known: RunPlan }> {
  const model = parseModelConfig(await (await openSource(source)).json('config.json'));
  return { model, known: await planRun(model, config, backend, imported) };
}

export interface SweepPlan {
  runs: readonly SweepRun[];
  /** Number of concurrent runs. */
  processes: number;
  backend?: BackendName;
  /** Address of the page in the link. */
  page: string | null;
  places: Places;
  terminal: Terminal;
}

/**
 * Prints the total time of a sweep. Runs that differ only in their seed share a plan; runs on one GPU share its time.
 */
export async function saySweepTime(sweep: SweepPlan): Promise<void> {
  const { runs, page, places, terminal } = sweep;
  const speeds = new Map<BackendName, Speed>();
  const seconds = new Map<string, number>(); // by arm
  const { imported } = await importedItemsOf(runs[0].config, places); // no axis changes the data set
  const ofRuns: number[] = [];
  for (const { config } of runs) {
    const arm = configKey({ ...config, seed: 0 });
    if (!seconds.has(arm)) {
      const source = plannedSourceOf(config, places) ?? (await modelSourceOf(config, places, page));
      const { backend } = await backendOf(source, sweep.backend, undefined);
      const speed = speeds.get(backend) ?? (await speedOf(backend, config));
      speeds.set(backend, speed);
      const { known } = await dryRun(backend, source, config, imported);
      seconds.set(arm, secondsLeft(estimate(known, speed), notBegun(config)));
    }
    ofRuns.push(seconds.get(arm)!);
  }
  // A process that ends its run takes the next one.
  const processes = speeds.has('webgpu') ? 1 : Math.min(sweep.processes, runs.length);
  const ends = Array<number>(processes).fill(0);
  for (const duration of ofRuns) ends[ends.indexOf(Math.min(...ends))] += duration;
  const time = durationWords(Math.max(...ends));
  terminal.say(`The ${runs.length} runs take at most about ${time}, by a dry run of one step of each arm.`);
}

/** The speed of one thread, because each run of a sweep has one. */
async function speedOf(backend: BackendName, { training }: RunConfig): Promise<Speed> {
  const engine = await openEngine({ backend, threads: 1 });
  try {
    return await measureSpeed(engine, training);
  } finally {
    engine.dispose();
  }
}

/** Prints the size of a model's download right before it. Requests only the sizes of the weights. */
export async function sayDownload(source: ModelSource, terminal: Terminal): Promise<void> {
  if ('files' in source) return;
  const files = await openSource(source);
  const { bytes } = await surveyModel(files);
  terminal.say(`Downloads ${megabytes(bytes)} from ${new URL(files.address('config.json')!).host}.`);
}
