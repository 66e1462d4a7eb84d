/**
 * One training step of REINFORCE++ (arXiv 2501.03262) and related algorithms (`../objective/algorithm.ts`).
 *
 *   sample       several responses to every prompt                                    gather.ts, rollout.ts
 *   score        a reward R for every response, by rules                              ../reward/score.ts
 *   reference    log p of every response token under the frozen policy
 *   advantages   A_t = R - beta * (sum of the KL from t on), whitened over the batch  ../objective/advantages.ts, kl.ts
 *   loss         -min(ratio * A, clip(ratio, 1 - low, 1 + high) * A), averaged        ../objective/loss.ts
 *   update       AdamW
 *
 * In the usual case, one update of one micro-batch, the step takes one forward and one backward pass. The forward pass
 * returns the log-probabilities of the response tokens, which are both the old and the new ones (the ratio is exactly 1). The
 * backward pass takes the gradient of the loss with respect to each of them. `parts.ts` handles several updates and
 * micro-batches. With several, a KL in the reward needs all log-probabilities before the first backward pass. On the CPU they
 * come from the sampler, which matches the training pass up to rounding. On a GPU, with a bf16 KV cache, a separate pass
 * computes them.
 */
import { resolveAlgorithm, usesReference, type AlgorithmSettings } from '../objective/algorithm';
import { computeAdvantages } from '../objective/advantages';
import { nextKlCoefficient } from '../objective/kl';
import { policyLoss, stepTotals } from '../objective/loss';
import { borderOf } from '../run/config/warm-start';
import { noSignalAlert } from '../run/verdict/alert-rules';
import { stepRecord } from '../run/record/metrics';
import { mean } from '../base/statistics';
import type { Control } from './control';
import { gatherSamples } from './gather';
import { tokenizerOf, toRollout } from './rollout';
import { adamwAt } from './schedule';
import { lessonAt, sftStep } from './supervised/sft';
import type { Run, StepOutcome } from './trainer-state';
import { keptPart, partsOf, responseLogprobs, trainingBatch, updatesOf } from './parts';
import { StepStatistics } from './step-statistics';

/** Fraction of the update work that the pass for the old log-probabilities takes. */
const OLD_FRACTION = 0.25;

/** Takes one step of a run, supervised or on rewards. */
export function takeStep(run: Run, step: number, control: Control): Promise<StepOutcome> {
  const lesson = lessonAt(step, run.config);
  return lesson === null ? reinforceStep(run, step, control) : sftStep(run, step, lesson, control);
}

/** Takes a step on rewards. It changes neither the policy nor the run's state before `control.commit()`, at its first update. */
async function reinforceStep(run: Run, step: number, control: Control): Promise<StepOutcome> {
  const { policy, config, state } = run;
  const { temperature, maxNewTokens } = config.rollout;
  const { microBatch } = config.optimizer;
  const algorithm: AlgorithmSettings = {
    ...config.algorithm,
    kl: { ...config.algorithm.kl, coefficient: state.klCoefficient },
    maxLength: maxNewTokens,
  };
  const { kl } = resolveAlgorithm(algorithm);

  // Sample, and score.
  const gathered = await gatherSamples(run, step, control);
  const { samples, counted, masks } = trainingBatch(gathered, config);
  const silence = step === borderOf(config) + 1 ? noSignalAlert(samples, step, algorithm) : null;
  if (silence) await control.alert(silence);

  // Compare with the reference.
  let reference: Float32Array[] | null = null;
  if (usesReference(config.algorithm)) {
    const onProgress = (done: number): Promise<void> => control.tick('reference', done);
    reference = await responseLogprobs(policy, samples, config, { adapter: 'off', onProgress });
  }

  // Old log-probabilities, under the policy that sampled. They need a separate pass if the policy changes, or a part runs
  // its backward pass, before all are known. Otherwise the pass of the single update yields them, and its ratio is 1.
  const updates = updatesOf(samples.length, config, step);
  const isKlInReward = kl.place === 'reward';
  const samplerIsExact = policy.runsOn !== 'webgpu';
  const isSplit = microBatch > 0 && microBatch < samples.length;
  const needsOldPass = updates.length > 1 || (isSplit && isKlInReward && !samplerIsExact);
  const isInParts = samplerIsExact && keptPart(policy, samples, config) < samples.length;
  const oldFraction = needsOldPass ? OLD_FRACTION : 0;
  let old: Float32Array[] | null = null;
  if (needsOldPass) {
    const onProgress = (done: number): Promise<void> => control.tick('update', oldFraction * done);
    old = await responseLogprobs(policy, samples, config, { onProgress });
  }

  // Advantages. If the KL is not in the reward, they depend only on the lengths of the log-probabilities.
  const advantagesBy = (logprobs: readonly Float32Array[]): Float64Array[] => {
    const rollouts = counted.map(({ reward, group }, i) => ({
      reward: reward.total,
      group,
      logprobs: logprobs[i],
      refLogprobs: reference?.[i],
      mask: masks[i],
    }));
    const found = computeAdvantages(rollouts, algorithm);
    return samples.map(({ response }, i) => found[i] ?? new Float64Array(response.length));
  };
  // Advantages are known before the updates, or only after the forward pass of the single update, which then takes all rows.
  const areKnownBefore = needsOldPass || isInParts || !isKlInReward;
  const known = areKnownBefore ? advantagesBy(old ?? samples.map((one) => one.samplerLogprobs)) : null;

  const adamw = adamwAt(step, config);
  const statistics = new StepStatistics(samples);
  let applied = true;
  let updatesDone = 0;
  for (const [update, places] of updates.entries()) {
    const trained = places.filter((i) => i < counted.length);
    const totals = stepTotals(
      trained.map((i) => samples[i].response),
      trained.map((i) => masks[i]),
    );
    statistics.beginUpdate();
    const rows = places.map((i) => samples[i]);
    // with known advantages, a part runs its backward pass before the next part's forward pass
    const size = known ? keptPart(policy, rows, config) : microBatch;
    for (const { first, sequences, promptLengths, done } of partsOf(rows, size)) {
      const members = places.slice(first, first + sequences.length);
      const part = <T>(values: readonly T[]): T[] => members.map((i) => values[i]);
      const onProgress = (inPart: number): Promise<void> =>
        control.tick('update', oldFraction + ((1 - oldFraction) * (update + done(inPart))) / updates.length);
      await onProgress(0);
      await policy.backward(sequences, promptLengths, {
        temperature,
        onProgress,
        // Loss.
        objective: (tokens) => {
          const loss = policyLoss(
            tokens.logprobs,
            old === null || update === 0 ? tokens.logprobs : part(old),
            reference && part(reference),
            known ? part(known) : advantagesBy(tokens.logprobs), // one part then: all samples, in their order
            algorithm,
            { masks: part(masks), entropies: tokens.entropies, step: totals },
          );
          statistics.add(members, tokens, loss);
          return { logprobs: loss.gradient, entropies: loss.entropyGradient };
        },
      });
    }

    // Update.
    control.commit();
    const taken = statistics.lossIsFinite() ? await policy.update(adamw) : null;
    if (taken) statistics.endUpdate(taken.gradNorm);
    applied = taken?.applied ?? false;
    if (!applied) break;
    updatesDone += 1;
  }

  const figures = statistics.figures();
  state.numTokens += samples.reduce((sum, { prompt, response }) => sum + prompt.length + response.length, 0);
  if (figures.kl !== null) {
    state.klCoefficient = nextKlCoefficient(state.klCoefficient, figures.kl, counted.length, kl);
  }
  const record = stepRecord({
    step,
    samples,
    update: figures,
    learningRate: adamw.learningRate,
    klCoefficient: kl.place === 'none' ? 0 : kl.coefficient,
    numTokens: state.numTokens,
    sampledTokens: gathered.sampledTokens,
    resampled: gathered.resampled,
    padded: gathered.padded,
    times: control.times(),
  });
  const tokenizer = tokenizerOf(policy);
  const advantages = known ?? advantagesBy(statistics.firstLogprobs);
  const rollouts = samples.map((sample, i) =>
    toRollout(sample, step, tokenizer.decode(sample.prompt), mean([...advantages[i]])),
  );
  return { record, rollouts, applied, updates: updatesDone };
}
