/**
 * The trainer: from a run configuration to a stream of events, one configuration after another.
 *
 *   items -> prompts -> rollouts -> rewards -> reference -> advantages -> update -> step record
 *
 * It is REINFORCE++ (arXiv 2501.03262) and five neighbours of it; `algorithm.ts` says which settings make which.
 * REMOVED, on purpose: the critic and GAE (a baseline needs neither); a separate reward model (rewards are rules);
 * asynchronous rollouts and importance correction for stale ones (one device does one thing at a time); sharding.
 *
 * A generator makes a pause simple: whoever does not ask for the next event has paused the run, and events come often
 * within a step. Everything random is drawn from (seed, stream, step), so a run that goes on from a checkpoint yields
 * the same records as one that never stopped, but for the wall-clock metrics named in `timingMetrics`. A step changes
 * nothing that a checkpoint holds before its update, so that one can be taken, or the step given up, in its middle.
 */
import { MarbleError, toErrorReport } from '../error';
import type { AdamWOptions, Policy } from '../model/policy';
import { resolveAlgorithm } from '../run/algorithm';
import { notFiniteAlert, watchEvaluation, watchStep } from '../run/alerts';
import type { OptimizerConfig, RunConfig } from '../run/config';
import { openItems, type ImportedItems } from './data';
import { standingEnding } from '../run/ending';
import { evaluateInParts } from './evaluate';
import type { Checkpoint, EvalReport, Rollout, StepRecord, TrainerEvent } from '../run/events';
import { forecastCollapse } from './forecast';
import { gatherSamples } from './gather';
import { goldExample, imitate } from './imitation';
import { nextKlCoefficient } from './kl';
import { stepRecord, type PhaseTimes } from '../run/metrics';
import { fromOutcomeTable } from '../run/outcome-table';
import { mapped, progress, timed } from './progress';
import { tokenizerOf, toRollout } from './rollout';
import { learningRateAt } from './schedule';
import { newTrainerState, readTrainerState, type Run } from './trainer-state';
import { microBatchOf, responseStatistics, updatePolicy } from './update';
import { validateInParts } from './validate';
import { verdictOf, type Verdict } from '../run/verdict';

export interface TrainOptions {
  /** Goes on from here; the configuration must be the checkpoint's own. */
  resume?: Checkpoint;
  /** Asked between micro-batches and after every step; true adds a checkpoint to those that are due. */
  checkpointRequested?: () => boolean;
  /** Gives up the unfinished step, between micro-batches: a last checkpoint, of the steps before it, ends the run. */
  signal?: AbortSignal;
  /** The items of the imported data sets that the configuration names. */
  imported?: ImportedItems;
}

/** What one step leaves behind. */
interface StepOutcome {
  record: StepRecord;
  rollouts: Rollout[];
  applied: boolean;
}

/**
 * Trains `policy` in place.
 *
 * @yields events until `done`, `failed` or, where the device went away, `lost`. An aborted run ends with a checkpoint.
 */
export async function* train(
  policy: Policy,
  config: RunConfig,
  options: TrainOptions = {},
): AsyncGenerator<TrainerEvent, void, void> {
  try {
    yield* runSteps(policy, config, options);
  } catch (thrown) {
    const error = toErrorReport(thrown);
    yield { type: error.code === 'gpu/device-lost' ? 'lost' : 'failed', error };
  }
}

async function* runSteps(
  policy: Policy,
  config: RunConfig,
  options: TrainOptions,
): AsyncGenerator<TrainerEvent, void, void> {
  const { resume, signal } = options;
  const source = openItems(config, options.imported);
  const state = resume === undefined ? newTrainerState(config) : readTrainerState(resume, config);
  const run: Run = { policy, config, source, state, signal };
  if (resume === undefined) policy.freezeReference();
  else policy.restore(resume.policy);

  let step = resume?.step ?? 0;
  /** Whether this step was taken here, and not before the checkpoint. */
  let isNew = false;
  for (;;) {
    const isLast = step === config.steps;
    let isBest = false;
    if (state.evaluatedStep < step && (step % config.evaluation.every === 0 || isLast)) {
      const evaluated = yield* interruptible(evaluation(run, step), () => checkpointOf(run, step), options);
      if (evaluated === null) return;
      isBest = evaluated.value;
      isNew = step > 0;
    }
    const isAsked = isNew && (options.checkpointRequested?.() ?? false);
    const isDue = isBest || isLast || hasStalled(run) || step % config.checkpointEvery === 0;
    if (isNew && (isDue || isAsked)) {
      yield { type: 'checkpoint', checkpoint: await checkpointOf(run, step), best: isBest };
    }
    if (isLast || hasStalled(run)) break;

    const beginning = await beginningOf(run, step);
    step += 1;
    const outcome = yield* interruptible(
      config.method === 'rl' ? reinforceStep(run, step) : imitationStep(run, step),
      beginning,
      options,
    );
    if (outcome === null) return;
    isNew = true;
    const { record, rollouts, applied } = outcome.value;
    if (!applied) {
      yield { type: 'alert', alert: notFiniteAlert(step) };
      throw new MarbleError(
        'rl/not-finite',
        `The loss or its gradient was not finite in step ${step}.`,
        'Start a new run with a lower learning rate or a tighter gradient clip; this one goes on with its own settings only.',
      );
    }
    yield { type: 'step', record };
    yield { type: 'rollouts', step, rollouts };
    if (config.method === 'rl') {
      const watched = watchStep(record, state.alerts);
      state.alerts = watched.state;
      for (const alert of watched.alerts) yield { type: 'alert', alert };
    }
  }
  yield { type: 'done', step };
}

/**
 * Passes on the events of a step or an evaluation. Between micro-batches, which is at its progress events, it hands out
 * the checkpoint that is asked for, and where the run is aborted it gives up the rest and ends with one.
 *
 * @param restorePoint from where what `work` does can be done again
 * @returns null where it was given up
 */
async function* interruptible<T>(
  work: AsyncGenerator<TrainerEvent, T, void>,
  restorePoint: () => Promise<Checkpoint>,
  { signal, checkpointRequested }: TrainOptions,
): AsyncGenerator<TrainerEvent, { value: T } | null, void> {
  const ending: AsyncGenerator<TrainerEvent, unknown, void> = work;
  try {
    for (;;) {
      const part = await work.next();
      if (part.done === true) return { value: part.value };
      yield part.value;
      if (part.value.type !== 'progress') continue;
      if (signal?.aborted === true) break;
      if (checkpointRequested?.() === true) yield { type: 'checkpoint', checkpoint: await restorePoint() };
    }
  } catch (thrown) {
    if (signal?.aborted !== true) throw thrown;
  } finally {
    await ending.return(undefined); // gives back what the unfinished work holds
  }
  yield { type: 'checkpoint', checkpoint: await restorePoint() };
  return null;
}

/** The checkpoint of the steps before the one that begins, to be had as long as this one is unfinished. */
async function beginningOf(run: Run, step: number): Promise<() => Promise<Checkpoint>> {
  const { optimizer } = run.config;
  const trainer = structuredClone(run.state);
  // With one update, which is the last thing that a step does, the policy itself is still the one of its beginning.
  const isChangedWithin = optimizer.passes * optimizer.miniBatches > 1;
  const policy = isChangedWithin ? await run.policy.state() : null;
  return async () => ({
    ...(await checkpointOf(run, step)),
    ...(policy === null ? {} : { policy }),
    trainer: { ...trainer },
  });
}

/** Early stopping: no new best accuracy for as many evaluations as the configuration has patience for. */
function hasStalled({ config, state }: Run): boolean {
  const { patience } = config.evaluation;
  return patience > 0 && state.evaluationsSinceBest >= patience;
}

/** One step of reinforcement learning: rollouts, rewards, reference, update. */
async function* reinforceStep(run: Run, step: number): AsyncGenerator<TrainerEvent, StepOutcome, void> {
  const { policy, config, state } = run;
  const times: PhaseTimes = { rollout: 0, reward: 0, reference: 0, update: 0 };
  const algorithm = {
    ...config.algorithm,
    kl: { ...config.algorithm.kl, coefficient: state.klCoefficient },
  };

  const { samples, resampled, padded } = yield* gatherSamples(run, step, times);

  let reference: Float32Array[] | null = null;
  if (config.algorithm.kl.place !== 'none' && config.algorithm.kl.coefficient > 0) {
    const { temperature } = config.rollout;
    yield progress('reference', step, 0);
    const statistics = yield* timed(
      'reference',
      step,
      times,
      responseStatistics(policy, samples, microBatchOf(config, samples), { temperature, adapter: 'off' }),
    );
    reference = statistics.logprobs;
  }

  const adamw = adamwAt(step, config);
  yield progress('update', step, 0);
  const update = yield* timed(
    'update',
    step,
    times,
    updatePolicy(policy, samples, {
      config,
      algorithm,
      entropyControl: state.entropy,
      adamw,
      reference,
      step,
      groups: config.rollout.promptsPerStep - padded,
    }),
  );

  const { resetEvery, resetMix, resetOptimizer } = resolveAlgorithm(algorithm).kl;
  if (reference !== null && update.applied && resetEvery > 0 && step % resetEvery === 0) {
    policy.moveReference({ mix: resetMix, resetOptimizer });
  }
  state.numTokens += samples.reduce((sum, { prompt, response }) => sum + prompt.length + response.length, 0);
  state.entropy = update.entropyControl;
  if (update.kl !== null) {
    state.klCoefficient = nextKlCoefficient(state.klCoefficient, update.kl, samples.length, algorithm.kl);
  }
  const record = stepRecord({
    step,
    samples,
    update,
    learningRate: adamw.learningRate,
    hasEntropyTarget: (algorithm.entropyTarget ?? 0) > 0,
    klCoefficient: algorithm.kl.place === 'none' ? 0 : algorithm.kl.coefficient,
    numTokens: state.numTokens,
    resampled,
    padded,
    times,
  });
  const tokenizer = tokenizerOf(policy);
  const rollouts = samples.map((sample, i) =>
    toRollout(sample, step, tokenizer.decode(sample.prompt), update.advantages[i] ?? 0),
  );
  return { record, rollouts, applied: update.applied };
}

/** One step of a supervised control arm, on as many gold completions as a rollout batch has. */
async function* imitationStep(
  { policy, config, source, state }: Run,
  step: number,
): AsyncGenerator<TrainerEvent, StepOutcome, void> {
  const count = config.rollout.promptsPerStep * config.rollout.samplesPerPrompt;
  const items = source.training(state.cursor, count);
  state.cursor += count;
  yield progress('update', step, 0);
  const adamw = adamwAt(step, config);
  const verbosity = config.method === 'sft-answers' ? 'direct' : 'full';
  const examples = items.map((item) => goldExample(policy, item, verbosity));
  const times: PhaseTimes = { rollout: 0, reward: 0, reference: 0, update: 0 };
  const report = yield* timed('update', step, times, imitate(policy, examples, adamw));
  const seconds = times.update / 1000;
  state.numTokens += report.tokens;
  const record: StepRecord = {
    step,
    loss: report.loss,
    entropy: report.entropy,
    grad_norm: report.gradNorm,
    learning_rate: adamw.learningRate,
    num_tokens: state.numTokens,
    step_time: seconds,
    'time/update': seconds,
    'tokens_per_second/train': report.tokens / Math.max(1e-3, seconds),
  };
  return { record, rollouts: [], applied: report.applied };
}

/** Evaluates on the fixed set, and on the validation set where there is one; true where this is the best accuracy since step 0. */
async function* evaluation(
  { policy, config, source, state, signal }: Run,
  step: number,
): AsyncGenerator<TrainerEvent, boolean, void> {
  yield progress('evaluate', step, 0);
  const isForecast = step === 0 && config.method === 'rl';
  const isValidated = source.validation.length > 0;
  const parts = 1 + Number(isForecast) + Number(isValidated);
  const ofPart =
    (part: number) =>
    (share: number): TrainerEvent =>
      progress('evaluate', step, (part + share) / parts);
  const isLook = step > 0 && step < config.steps;
  const { temperature } = config.rollout;
  const ends = isLook ? undefined : { temperature, seed: config.evaluation.seed };
  const evaluated = yield* mapped(
    evaluateInParts(policy, source.suite, { step, signal, isLook, ends }),
    ofPart(0),
  );
  const validation = isValidated
    ? yield* mapped(validateInParts(policy, source, signal), ofPart(1))
    : undefined;
  const report: EvalReport = { ...evaluated, ...(validation === undefined ? {} : { validation }) };
  const forecast = isForecast
    ? yield* mapped(forecastCollapse(policy, source.suite, config, signal), ofPart(parts - 1))
    : null;
  state.baseline ??= report;
  state.evaluatedStep = step;
  const verdict = verdictAgainst(state.baseline, report, isLook, config.evaluation.seed);
  yield {
    type: 'eval',
    report,
    ...(verdict !== null && { verdict }),
    ...(forecast !== null && { forecast }),
  };

  if (verdict !== null) {
    const before = state.lastEnding === null ? [] : [{ ending: state.lastEnding, provisional: true }];
    const ending = standingEnding([...before, verdict]);
    state.lastEnding = verdict.ending;
    const watched = watchEvaluation(state.baseline, report, verdict, ending, state.alerts);
    state.alerts = watched.state;
    for (const alert of watched.alerts) yield { type: 'alert', alert };
  }

  const { accuracy } = validation ?? report.overall;
  const isBest = step > 0 && accuracy > state.bestAccuracy;
  state.evaluationsSinceBest = isBest || step === 0 ? 0 : state.evaluationsSinceBest + 1;
  state.bestAccuracy = Math.max(state.bestAccuracy, accuracy);
  return isBest;
}

/** Null at step 0, and where the run began in a version that kept no outcomes. */
function verdictAgainst(start: EvalReport, now: EvalReport, isLook: boolean, seed: number): Verdict | null {
  if (start.step === now.step || start.outcomes === undefined || now.outcomes === undefined) return null;
  return verdictOf(fromOutcomeTable(start.outcomes), fromOutcomeTable(now.outcomes), {
    step: now.step,
    provisional: isLook,
    ...(start.sampled && now.sampled && { sampled: [start.sampled.correct, now.sampled.correct] as const }),
    seed,
  });
}

function adamwAt(step: number, { optimizer, steps }: RunConfig): AdamWOptions {
  const { beta1, beta2, epsilon, weightDecay, maxGradNorm }: OptimizerConfig = optimizer;
  const learningRate = learningRateAt(step - 1, steps, optimizer);
  return { learningRate, beta1, beta2, epsilon, weightDecay, maxGradNorm };
}

async function checkpointOf({ policy, config, state }: Run, step: number): Promise<Checkpoint> {
  return { version: 1, config, step, policy: await policy.state(), trainer: { ...state } };
}
