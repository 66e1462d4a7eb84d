/** Trains a run in a folder, from its start or from its last checkpoint. */
import { MarbleError } from '../base/error';
import { weightsZip } from '../export/weights-zip';
import { loadPolicy, openEngine, train } from '../index';
import type { BackendName, CustomReward, Policy, TrainerEvent } from '../index';
import type { ModelSource } from '../model/source/source';
import { withCustomReward } from '../run/config/custom-reward';
import { sameConfig } from '../run/config/fields';
import { isStartEvaluatedLater } from '../run/config/evaluation-plan';
import { watchWords } from '../run/config/presets';
import { createCheckpointClock } from '../run/record/checkpoint-clock';
import { newRunRecord } from '../run/record/new-run';
import { addEvent, emptyHistory, growingHistory, recordAfter } from '../run/record/history';
import { runName } from '../share/name';
import type { RunParts } from '../run/estimate';
import type { RunRecord } from '../run/record/run-record';
import { ignoredWords, type AskedRun, type RunChanges } from './asked-run';
import { backendOf, machineRecord } from './machine';
import {
  adapterSourceOf,
  importedItemsOf,
  modelSourceOf,
  plannedSourceOf,
  type Places,
} from './model-places';
import { plannedParts, sayDownload } from './plan-command';
import { showEvent } from './progress';
import { heldRun, openRunFolder, type HeldRun, type RunFolder } from './run-folder';
import type { Terminal } from './terminal';

export interface TrainRequest {
  /** Null if only the folder names the run. */
  asked: AskedRun | null;
  folder: string;
  /** Requested overrides. A resumed run keeps its own settings and refuses others. */
  changes: RunChanges;
  backend?: BackendName;
  /** Number of wasm threads. */
  threads?: number;
  places: Places;
  terminal: Terminal;
  /** Only prints what the run needs. */
  isPlan?: boolean;
  /** Replaces the total of the run's reward. */
  reward?: CustomReward;
  /** Trains even if the first step on rewards has no signal. */
  anyway?: boolean;
  /** Ends the run between two micro-batches, with a checkpoint. */
  signal: AbortSignal;
}

/** Settings that determine rounding, as recorded in `machine.backend`. */
interface Began {
  backend?: BackendName;
  fma?: boolean;
}

/**
 * Trains the run of a folder.
 *
 * @returns true if the run is complete; otherwise it was stopped, and the same request resumes it
 * @throws MarbleError `command/no-run`, `command/other-run`, those of `openRunFolder`, of the places and of the library
 */
export async function trainInFolder(request: TrainRequest): Promise<boolean> {
  // After a sweep is killed, its runs need time to end.
  const folder = await openRunFolder(request.folder, process.connected ? 120_000 : 0);
  try {
    const found = await folder.load();
    if (found?.ignored) request.terminal.say(ignoredWords(found.ignored));
    const run = await begin(found, request);
    requireUnchanged(run.history.record, request.changes);
    requireReward(run.history.record, request.reward);
    if (run.history.record.status === 'done') {
      request.terminal.say(`The run in ${request.folder} is complete, at step ${run.history.record.step}.`);
      return true;
    }
    return await trainOn(run, folder, request);
  } finally {
    folder.close();
  }
}

/** The run in the folder, in the requested run file, or a new one. */
async function begin(saved: HeldRun | null, { asked, folder }: TrainRequest): Promise<HeldRun> {
  if (saved === null) {
    if (asked === null) {
      throw new MarbleError(
        'command/no-run',
        `There is no run in ${folder} to resume.`,
        'Name a preset or a link: marble-rl train <preset or link> --out <folder>.',
      );
    }
    if (asked.kept !== null) return heldRun(asked.kept);
    const record = newRunRecord(asked.config, runName(asked.config), {});
    return { history: { ...emptyHistory, record }, rollouts: [], checkpoint: null };
  }
  const { record } = saved.history;
  if (asked !== null && !sameConfig(asked.config, record.config)) {
    throw new MarbleError(
      'command/other-run',
      `${folder} holds another run: ${record.name}.`,
      'Use another --out, or leave out the preset or link to resume the run in the folder.',
    );
  }
  return saved;
}

function requireUnchanged({ name, config }: RunRecord, changes: RunChanges): void {
  for (const [field, value] of Object.entries(changes) as [keyof RunChanges, number][]) {
    if (value === config[field]) continue;
    throw new MarbleError(
      'command/other-run',
      `A resumed run keeps its settings, and --${field} ${value} is not its ${field}, ${config[field]}: ${name}.`,
      `Leave out --${field} to resume it, or start another run with another --out from its preset or link.`,
    );
  }
}

/** @throws MarbleError `reward/custom-missing`, `command/other-run` */
function requireReward({ name, config }: RunRecord, reward: CustomReward | undefined): void {
  withCustomReward(config, reward); // refuses a run whose function is missing
  const { custom } = config.reward;
  if (reward === undefined || reward.name === custom) return;
  throw new MarbleError(
    'command/other-run',
    `The reward of the run is ${custom ?? `the preset ${config.reward.preset}`}, but --reward names ${reward.name}: ${name}.`,
    'Name its function with --reward, or start another run with another --out.',
  );
}

async function trainOn(run: HeldRun, folder: RunFolder, request: TrainRequest): Promise<boolean> {
  const { asked, places, terminal, signal, reward, anyway } = request;
  const { config } = run.history.record;
  const resume = run.checkpoint;
  const began = resume && (run.history.record.machine.backend as Began | undefined);
  const page = asked?.page ?? null;
  const imported = await importedItemsOf(config, places);
  // Plans the run before asking for a download, if planning is possible without one.
  const known = plannedSourceOf(config, places);
  const planned = known ?? (await modelSourceOf(config, places, page));
  const choice = await backendOf(planned, request.backend ?? asked?.backend, began?.backend);
  terminal.say(`${run.history.record.name}, on ${choice.backend}. ${choice.reason}`);
  if (Object.hasOwn(watchWords, config.preset)) terminal.say(watchWords[config.preset]);
  const engine = await openEngine({
    backend: choice.backend,
    threads: request.threads,
    fma: began == null || began.fma === true,
  });
  let policy: Policy | null = null;
  try {
    const parts = await plannedParts(engine, planned, config, imported, terminal);
    if (request.isPlan) return false;
    const source = known === null ? planned : await modelSourceOf(config, places, page);
    const adapter = await adapterSourceOf(config, places, page);
    if (config.model.kind !== 'embedded') await sayDownload(source, terminal);
    const lora = config.training.mode === 'lora' ? config.training : undefined;
    policy = await loadPolicy(engine, source, { lora, adapter });
    const adapterName = engine.capabilities?.adapterName ?? null;
    const fma = lora && engine.fma && { fma: true };
    const backend = { ...choice, adapter: adapterName, ...fma };
    run.history.record = { ...run.history.record, status: 'running', machine: machineRecord(backend) };
    if (resume !== null) {
      run.rollouts = run.rollouts.filter(([rollout]) => rollout.step <= resume.step);
      terminal.say(`Resumes from step ${resume.step}.`);
    }
    const clock = createCheckpointClock(resume !== null);
    const events = train(engine, policy, config, resume ?? undefined, {
      signal,
      imported,
      reward,
      anyway,
      isPlanned: true,
      evaluatesStartLater: isStartEvaluatedLater(config),
      checkpointRequested: () => clock.isDue(),
    });
    const isDone = await follow(events, run, folder, clock, { terminal, parts });
    await end(run, isDone, source, folder, request);
    return isDone;
  } finally {
    policy?.dispose();
    engine.dispose();
  }
}

/** @returns true if the run is complete */
async function follow(
  events: AsyncIterable<TrainerEvent>,
  run: HeldRun,
  folder: RunFolder,
  clock: ReturnType<typeof createCheckpointClock>,
  { terminal, parts }: { terminal: Terminal; parts: RunParts<number> },
): Promise<boolean> {
  let seconds = 0;
  let isWarned = false;
  const warn = (fault: MarbleError | null): void => {
    if (fault !== null && !isWarned)
      terminal.say(`${fault.message} The run itself is saved, and training continues.`);
    isWarned = fault !== null;
  };
  const grown = growingHistory(run.history);
  for await (const event of events) {
    if (event.type === 'step') {
      event.record['time/store'] = seconds;
      seconds = 0;
    }
    const record = { ...recordAfter(run.history.record, event), updatedAt: Date.now() };
    addEvent(grown, event);
    run.history = { ...grown, record };
    showEvent(terminal, event, run.history, parts);
    switch (event.type) {
      case 'step':
        clock.stepEnded();
        break;
      case 'rollouts':
        run.rollouts.push(event.rollouts);
        break;
      case 'checkpoint': {
        const start = performance.now();
        run.checkpoint = event.checkpoint;
        warn(await folder.save(run));
        clock.taken();
        seconds += (performance.now() - start) / 1000;
        break;
      }
      case 'lost':
      case 'failed':
        if (event.type === 'failed') warn(await folder.save(run));
        throw new MarbleError(event.error.code, event.error.message, event.error.nextStep);
      case 'done':
        return true;
      case 'progress':
      case 'eval':
      case 'alert':
        break;
    }
  }
  return false;
}

async function end(
  run: HeldRun,
  isDone: boolean,
  source: ModelSource,
  folder: RunFolder,
  { folder: path, terminal }: TrainRequest,
): Promise<void> {
  if (!isDone) run.history.record = { ...run.history.record, status: 'stopped' };
  const unwritten = await folder.save(run);
  if (unwritten !== null) throw unwritten;
  if (!isDone) return;
  const { checkpoint } = run;
  const name = checkpoint?.config.training.mode === 'lora' ? 'adapter.zip' : 'model.zip';
  const weights = checkpoint && { [name]: await weightsZip(checkpoint, run.history, source) };
  await folder.saveBeside(run, weights ?? {});
  const files = [
    'run.marble (open it in the page)',
    'metrics.csv',
    'rollouts.csv',
    ...Object.keys(weights ?? {}),
  ];
  terminal.say(`Done. In ${path}: ${files.join(', ')}.`);
}
