/** Trains a run in a folder, from its start or from its last checkpoint. */
import { join } from 'node:path';
import { errorFrom, MarbleError } from '../../base/error';
import { weightsZip } from '../../export/weights-zip';
import { loadPolicy, openEngine, train } from '../../index';
import type { BackendName, CustomReward, Policy, TrainerEvent } from '../../index';
import type { ModelSource } from '../../model/source/source';
import { withCustomReward } from '../../run/config/custom-reward';
import { sameConfig } from '../../run/config/fields';
import { isStartEvaluatedLater } from '../../run/config/evaluation-plan';
import { watchWords } from '../../run/config/presets';
import { createCheckpointClock, type CheckpointClock } from '../../run/record/checkpoint-clock';
import type { StepRecord } from '../../run/record/events';
import { otherQuestions } from '../../run/config/deleted-fields';
import { importedId } from '../../run/config/imported';
import { knownModelFiles } from '../../run/config/known-models';
import { newRunRecord } from '../../run/record/new-run';
import { emptyHistory, putAtStep, recordAfter } from '../../run/record/history';
import { runJsonl } from '../../share/jsonl';
import { runName } from '../../share/name';
import { RECENT, type RunParts, type RunSoFar } from '../../run/estimate';
import type { RunFile } from '../../share/run-file';
import type { RunRecord } from '../../run/record/run-record';
import { ignoredWords, runInFolder, type AskedRun, type RunChanges } from '../asked-run';
import { writeNamed } from '../files';
import { lockFolder } from '../folder-lock';
import { backendOf, machineRecord, mayUseFma } from '../machine';
import { adapterSourceOf, importedItemsOf, modelSourceOf, type Places } from '../model-places';
import { plannedParts, sayDownload, showEvent } from '../progress';
import { openLog, removeLog, saveRun, type RunLog } from '../run-log';
import type { Terminal } from '../terminal';

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
  /** Replaces the total of the run's reward. */
  reward?: CustomReward;
  /** Trains even if the first step on rewards has no signal. */
  anyway?: boolean;
  /** Called when the training begins. Its signal ends the run between two micro-batches, with a checkpoint. */
  interrupted: () => AbortSignal;
}

/**
 * Trains the run of a folder.
 *
 * @returns true if the run is complete; otherwise it was stopped, and the same request resumes it
 * @throws MarbleError `command/no-run`, `command/other-run`, `store/other-questions`, those of `lockFolder`, of the places
 *   and of the library
 */
export async function trainInFolder(request: TrainRequest): Promise<boolean> {
  // After a sweep is killed, its runs need time to end.
  const release = await lockFolder(request.folder, process.connected ? 120_000 : 0);
  try {
    const found = await runInFolder(request.folder);
    if (found?.ignored) request.terminal.say(ignoredWords(found.ignored));
    const run = begin(found, request);
    requireUnchanged(run.history.record, request.changes);
    requireReward(run.history.record, request.reward);
    if (run.history.record.status === 'done') {
      const { name, step } = run.history.record;
      const place = found === null ? name : `The run in ${request.folder}`;
      request.terminal.say(`${place} is complete, at step ${step}.`);
      return true;
    }
    const { record } = run.history;
    const hadApart = run.ignored?.includes('evaluation.validationItems') === true;
    if (run.checkpoint !== null && hadApart && importedId(record.config.data.source) !== null)
      throw otherQuestions();
    return await trainOn(run, request);
  } finally {
    release();
  }
}

/** The run in the folder, in the requested run file, or a new one. */
function begin(saved: RunFile | null, { asked, folder }: TrainRequest): RunFile {
  if (saved === null) {
    if (asked === null) {
      throw new MarbleError(
        'command/no-run',
        `There is no run in ${folder} to resume.`,
        'Name a preset or a link: marble-rl train <preset or link> --out <folder>.',
      );
    }
    if (asked.kept !== null) return asked.kept;
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

async function trainOn(run: RunFile, request: TrainRequest): Promise<boolean> {
  const { asked, places, terminal, interrupted, reward, anyway } = request;
  const { config } = run.history.record;
  const resume = run.checkpoint;
  const page = asked?.page ?? null;
  // Settings that determine rounding, and the ids of the data sets.
  const began = resume && run.history.record.machine;
  const { imported, ids } = await importedItemsOf(config, places, began?.data);
  // Plans the run before asking for a download, if planning is possible without one.
  const known = places.model === undefined ? knownModelFiles(config.model) : null;
  const planned = known ?? (await modelSourceOf(config, places, page));
  const choice = await backendOf(planned, request.backend, began?.backend?.backend);
  terminal.say(`${run.history.record.name}, on ${choice.backend}. ${choice.reason}`);
  if (Object.hasOwn(watchWords, config.preset)) terminal.say(watchWords[config.preset]);
  const engine = await openEngine({
    backend: choice.backend,
    threads: request.threads,
    fma: mayUseFma(began),
  });
  let policy: Policy | null = null;
  let log: RunLog | null = null;
  try {
    const soFar = soFarOf(run, resume?.step ?? -1);
    const parts = await plannedParts(engine, planned, soFar, imported, terminal);
    const source = known === null ? planned : await modelSourceOf(config, places, page);
    const adapter = await adapterSourceOf(config, places, page);
    if (config.model.kind !== 'embedded') await sayDownload(source, terminal);
    const lora = config.training.mode === 'lora' ? config.training : undefined;
    policy = await loadPolicy(engine, source, { lora, adapter });
    const adapterName = engine.capabilities?.adapterName ?? null;
    const fma = lora && engine.fma && { fma: true };
    const backend = { ...choice, adapter: adapterName, ...fma };
    const { record } = run.history;
    log = await openLog(request.folder, run);
    const training: Training = {
      record: { ...record, status: 'running', failure: undefined, machine: machineRecord(backend, ids) },
      soFar,
    };
    if (resume !== null) terminal.say(`Resumes from step ${resume.step}.`);
    const clock = createCheckpointClock(resume !== null);
    const events = train(engine, policy, config, resume ?? undefined, {
      signal: interrupted(),
      imported,
      reward,
      anyway,
      isPlanned: true,
      evaluatesStartLater: isStartEvaluatedLater(config),
      checkpointRequested: () => clock.isDue(),
    });
    const ending = await follow(events, training, log, clock, { terminal, parts });
    await end(training.record, ending, log, source, request);
    return ending === 'done';
  } finally {
    await log?.close();
    policy?.dispose();
    engine.dispose();
  }
}

/** State of a run while it trains. Its rows are in the log. */
export interface Training {
  record: RunRecord;
  /** With the last steps only. */
  soFar: RunSoFar & { records: StepRecord[] };
}

function soFarOf({ history: { record, steps, evals } }: RunFile, step: number): Training['soFar'] {
  const records = steps.filter((one) => one.step <= step).slice(-RECENT);
  const evaluated = evals.findLast(({ report }) => report.step <= step)?.report.step ?? -1;
  return { config: record.config, records, evaluated, evaluating: 0 };
}

/**
 * Logs the events of a run and prints them.
 *
 * @returns how the run ended
 */
export async function follow(
  events: AsyncIterable<TrainerEvent>,
  training: Training,
  log: Pick<RunLog, 'append' | 'commit'>,
  clock: CheckpointClock,
  { terminal, parts }: { terminal: Terminal; parts: RunParts<number> },
): Promise<'done' | 'stopped' | MarbleError> {
  let seconds = 0;
  const timed = async (work: Promise<void>): Promise<void> => {
    const start = performance.now();
    await work;
    seconds += (performance.now() - start) / 1000;
  };
  const { soFar } = training;
  for await (const event of events) {
    if (event.type === 'step') {
      event.record['time/store'] = seconds;
      seconds = 0;
    }
    training.record = { ...recordAfter(training.record, event), updatedAt: Date.now() };
    await timed(log.append(event));
    if (event.type === 'step') {
      putAtStep(soFar.records, event.record, ({ step }) => step);
      if (soFar.records.length > RECENT) soFar.records.shift();
      clock.stepEnded();
    } else if (event.type === 'eval') soFar.evaluated = event.report.step;
    else if (event.type === 'checkpoint') {
      await timed(log.commit(training.record, event.checkpoint));
      clock.taken();
    }
    showEvent(terminal, event, soFar, parts);
    if (event.type === 'done') return 'done';
    if (event.type === 'lost') throw errorFrom(event.error);
    if (event.type === 'failed') return errorFrom(event.error);
  }
  return 'stopped';
}

/** Packs the log into the files of the run. @throws the error of a run that failed */
async function end(
  record: RunRecord,
  ending: 'done' | 'stopped' | MarbleError,
  log: RunLog,
  source: ModelSource,
  { folder, terminal }: TrainRequest,
): Promise<void> {
  const run = await log.read(ending === 'stopped' ? { ...record, status: 'stopped' } : record);
  const unwritten = await saveRun(folder, run);
  if (ending instanceof MarbleError) {
    if (unwritten !== null) terminal.say(`${unwritten.message} The run itself is saved.`);
    await removeLog(folder);
    throw ending;
  }
  if (unwritten !== null) throw unwritten;
  const { checkpoint, history } = run;
  const files = ['run.marble (open it in the page)', 'metrics.csv'];
  if (ending === 'done') {
    const name = checkpoint?.config.training.mode === 'lora' ? 'adapter.zip' : 'model.zip';
    const weights = checkpoint && (await weightsZip(checkpoint, history, source));
    await writeNamed(join(folder, 'everything.jsonl'), runJsonl(history, run.rollouts));
    if (weights !== null) await writeNamed(join(folder, name), weights);
    files.push('everything.jsonl', ...(weights === null ? [] : [name]));
  }
  await removeLog(folder);
  if (ending === 'done') terminal.say(`Done. In ${folder}: ${files.join(', ')}.`);
}
