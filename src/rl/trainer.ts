/**
 * The trainer: turns a run configuration into a stream of events. A call trains one configuration.
 *
 *   items -> prompts -> rollouts -> rewards -> reference -> advantages -> update -> step record
 *
 * It implements REINFORCE++ (arXiv 2501.03262) and five related algorithms. `objective/algorithm.ts` maps settings to
 * algorithms, and `step.ts` implements one step. Omitted on purpose: the critic and GAE (a baseline needs neither); a separate
 * reward model (rewards are rules); asynchronous rollouts and importance correction for stale ones (one device does one
 * thing at a time); sharding.
 *
 * All randomness derives from (seed, stream, step). A resumed run therefore yields the same records as an uninterrupted one,
 * except for the wall-clock metrics in `timingMetrics`. Checkpoints are taken between steps only. A stopped run discards its
 * unfinished step, which is repeated from its seed. A step that has made its first update is completed instead.
 */
import { MarbleError, toErrorReport } from '../base/error';
import type { CustomReward } from '../reward/custom';
import { yieldWithinPass } from '../base/waits';
import type { Policy } from '../model/policy';
import { notFiniteAlert, notFiniteStep, watchStep } from '../run/verdict/alert-rules';
import type { RunConfig } from '../run/config/config';
import { isEvaluatedAt } from '../run/config/evaluation-plan';
import { borderOf } from '../run/config/warm-start';
import type { Checkpoint, TrainerEvent } from '../run/record/events';
import { recordedRollouts } from '../run/record/rollouts';
import { compileRun } from './compile-run';
import { createPhaseClock, type Control } from './control';
import { openItems, type ImportedItems } from './data';
import { evaluateAt } from './evaluate/evaluate-at';
import { eventStream } from './event-stream';
import { requireReadable } from './rollout';
import { lessonAt, requireGold } from './supervised/sft';
import { takeStep } from './step';
import { isFiniteState, newTrainerState, readTrainerState, requireOwnTest, type Run } from './trainer-state';

export interface TrainOptions {
  /** Resumes from this checkpoint, whose configuration must equal the run's. */
  resume?: Checkpoint;
  /** Called after every step. True requests an additional checkpoint. */
  checkpointRequested?: () => boolean;
  /** Ends the run between two micro-batches, with a checkpoint of its finished steps. */
  signal?: AbortSignal;
  /** The items of the imported data sets that the configuration names. */
  imported?: ImportedItems;
  /** Defers the evaluation of step 0 until right before the next evaluation, using the initial weights. Step 1 starts sooner. */
  evaluatesStartLater?: boolean;
  /** Replaces the total of the configuration's reward. */
  reward?: CustomReward;
  /**
   * Ends the run with `rl/no-signal` if the rewards of the first step on rewards carry no signal; by default that
   * raises an alert.
   */
  needsSignal?: boolean;
  /** Awaited before every event; rejects with errors of the device since the last one. */
  check?: () => Promise<void>;
}

/** Errors before a step's update: the steps before it are kept. */
const withoutUpdate: readonly string[] = [
  ...['reward/custom-failed', 'reward/not-finite', 'rl/no-signal'],
  // errors of a question that the checks before the run did not reach
  ...['rl/prompt-too-long', 'model/unknown-word', 'rl/no-trace'],
];

type Emit = (event: TrainerEvent) => Promise<void>;

/**
 * Trains `policy` in place. The run suspends at each event until the consumer asks for the next one, so not asking pauses
 * it. Each step yields many events.
 *
 * @yields events until `done`, `failed` or, if the device was lost, `lost`. An aborted run ends with a checkpoint.
 */
export function train(
  policy: Policy,
  config: RunConfig,
  options: TrainOptions = {},
): AsyncGenerator<TrainerEvent, void, void> {
  return eventStream(async (tell: Emit) => {
    try {
      await options.check?.(); // nothing is allocated for what cannot begin
      await runSteps(policy, config, options, async (event) => {
        await options.check?.();
        await tell(event);
      });
    } catch (thrown) {
      const error = toErrorReport(thrown);
      await tell({ type: error.code === 'gpu/device-lost' ? 'lost' : 'failed', error });
    }
  });
}

async function runSteps(
  policy: Policy,
  config: RunConfig,
  {
    resume,
    signal,
    checkpointRequested,
    imported,
    evaluatesStartLater = false,
    reward,
    needsSignal = false,
  }: TrainOptions,
  emit: Emit,
): Promise<void> {
  const source = openItems(config, imported);
  const before = resume === undefined ? newTrainerState(config) : readTrainerState(resume, config);
  requireOwnTest(before, source.suite);
  const run: Run = { policy, config, source, reward, state: before };
  requireGold(run, resume?.step ?? 0);
  requireReadable(run, imported?.training?.length ?? 0);
  const border = borderOf(config);
  if (resume === undefined) policy.freezeReference();
  else policy.restore(resume.policy);

  /** Thrown out of the work in progress, and caught below. */
  const stopped = new Error('The run was stopped.');
  /** The last finished step, and the state after it. */
  let finished = { step: resume?.step ?? 0, state: run.state };

  /** Ticks of the work on a step: here and nowhere else they become events, pauses and the end of the run. */
  const controlOf = (step: number): Control => {
    const clock = createPhaseClock();
    let isCommitted = false;
    return {
      commit: () => void (isCommitted = true),
      times: () => clock.times(),
      alert: async (alert) => {
        clock.stop(); // the run may be paused here
        if (needsSignal) {
          throw new MarbleError(
            'rl/no-signal',
            alert.cause,
            `${alert.nextStep} To train all the same: anyway: true, or --anyway in the command.`,
          );
        }
        await emit({ type: 'alert', alert });
        clock.start('reward');
      },
      tick: async (phase, fraction, count) => {
        clock.stop();
        await emit({ type: 'progress', phase, step, fraction, ...(count && { count }) });
        await yieldWithinPass();
        if (signal?.aborted === true && !isCommitted) throw stopped;
        clock.start(phase);
      },
    };
  };

  const evaluateAndTell = async (step: number): Promise<void> => {
    const { report, verdict, alerts } = await evaluateAt(step, run, controlOf(step));
    await emit({ type: 'eval', report, ...(verdict && { verdict }) });
    for (const alert of alerts) await emit({ type: 'alert', alert });
  };

  /** Evaluates step 0 at a later step, with the initial weights temporarily restored. */
  const evaluateStart = async (step: number): Promise<void> => {
    const now = (await checkpointOf(run, step)).policy;
    // Zeros have the effect of a fresh adapter.
    policy.restore({ ...now, parameters: now.reference ?? new Float32Array(now.parameters.length) });
    try {
      await evaluateAndTell(0);
    } finally {
      policy.restore(now);
    }
  };

  const takeAndTell = async (step: number): Promise<void> => {
    run.state = { ...run.state };
    const { record, rollouts, applied, updates } = await takeStep(run, step, controlOf(step));
    if (!applied) {
      const isUpdated = step > 1 || updates > 0;
      await emit({ type: 'alert', alert: notFiniteAlert(step, isUpdated) });
      throw notFinite(`The loss or its gradient was not finite in step ${step}.`, isUpdated);
    }
    await emit({ type: 'step', record });
    await emit({ type: 'rollouts', step, rollouts: recordedRollouts(rollouts) });
    if (lessonAt(step, config) !== null) return;
    const watched = watchStep(record, run.state.alerts);
    run.state.alerts = watched.state;
    for (const alert of watched.alerts) await emit({ type: 'alert', alert });
  };

  try {
    await compileRun(run, async (done, total) => {
      const step = resume?.step ?? 0;
      await emit({
        type: 'progress',
        phase: 'compile',
        step,
        fraction: done / total,
        count: { done, total },
      });
      if (signal?.aborted === true) throw stopped;
    });
    let step = resume?.step ?? 0;
    /** True if the last checkpoint lacks work of this session. */
    let isUnsaved = false;
    for (;;) {
      const isLast = step >= config.steps; // a file's checkpoint may be past the last step
      const startWaits = step === 0 && evaluatesStartLater;
      if (run.state.evaluatedStep < step && isEvaluatedAt(step, config) && !startWaits) {
        if (step > 0 && run.state.evaluatedStep < 0) await evaluateStart(step);
        await evaluateAndTell(step);
        // A checkpoint of this step contains both its evaluation and the new reference, or neither.
        if (step > 0 && step === border) policy.freezeReference();
        isUnsaved = step > 0;
      }
      const isAsked = isUnsaved && checkpointRequested?.() === true;
      const isDue = isLast || step % config.checkpointEvery === 0;
      if (isUnsaved && (isDue || isAsked)) {
        await emit({ type: 'checkpoint', checkpoint: await checkpointOf(run, step) });
      }
      if (isLast) break;
      step += 1;
      await takeAndTell(step);
      finished = { step, state: run.state };
      isUnsaved = true;
    }
    await emit({ type: 'done', step });
  } catch (thrown) {
    const leavesPolicy = thrown instanceof MarbleError && withoutUpdate.includes(thrown.code);
    if (thrown !== stopped && !leavesPolicy) throw thrown;
    run.state = finished.state;
    await emit({ type: 'checkpoint', checkpoint: await checkpointOf(run, finished.step) });
    if (leavesPolicy) throw thrown;
  }
}

/** @throws MarbleError `rl/not-finite` for non-finite weights, because a run must be able to resume from every checkpoint */
async function checkpointOf({ policy, config, state }: Run, step: number): Promise<Checkpoint> {
  const saved = await policy.state();
  if (!isFiniteState(saved)) throw notFinite(`The weights are no longer finite after step ${step}.`);
  return { version: 1, config, step, policy: saved, trainer: { ...state } };
}

const notFinite = (message: string, isUpdated = true): MarbleError =>
  new MarbleError('rl/not-finite', message, notFiniteStep(isUpdated));
