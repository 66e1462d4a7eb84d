/**
 * One training step as the paper has it: REINFORCE++, arXiv 2501.03262, and its neighbours (`../run/algorithm.ts`).
 *
 *   sample       several responses to every prompt                                    gather.ts, rollout.ts
 *   score        a reward R for every response, by rules                              ../reward/score.ts
 *   reference    log p of every response token under the frozen policy
 *   advantages   A_t = R - beta * (sum of the KL from t on), whitened over the batch  ../run/advantages.ts, kl.ts
 *   loss         -min(ratio * A, clip(ratio, 1 - low, 1 + high) * A), averaged        loss.ts
 *   update       AdamW
 *   look         log p of the tokens that are shown, under the updated policy         token-changes.ts
 *
 * In the usual case, one update of one micro-batch, this is one forward and one backward pass: the model hands over the
 * log-probabilities of the response tokens, which are at the same time the old and the new ones (the ratio is exactly 1),
 * and asks back for the gradient of the loss by each of them. What several updates and micro-batches need: `update.ts`.
 */
import type { TokenGradients, TokenStatistics } from '../model/policy';
import { choosesTokens, resolveAlgorithm, usesReference, type AlgorithmSettings } from '../run/algorithm';
import { computeAdvantages } from '../run/advantages';
import type { Control } from './control';
import { appliedEntropyCoefficient, nextEntropyControl } from './entropy-target';
import { gatherSamples } from './gather';
import { gradientsOf, policyLoss } from './loss';
import { adamwAt } from './schedule';
import { concludeStep, type StepOutcome } from './step-outcome';
import { tokenChanges } from './token-changes';
import { choiceOf, chooseTokens } from './token-choice';
import type { Run } from './trainer-state';
import { oldStatistics, planUpdates, responseStatistics, Tally, trainingBatch } from './update';

/** Up to its first update it leaves the policy as it was, and after its last one it awaits no tick. */
export async function reinforceStep(run: Run, step: number, control: Control): Promise<StepOutcome> {
  const { policy, config, state } = run;
  const { temperature, maxNewTokens } = config.rollout;
  const kl = { ...config.algorithm.kl, coefficient: state.klCoefficient };
  const algorithm: AlgorithmSettings = { ...config.algorithm, kl, maxLength: maxNewTokens };
  const settings = resolveAlgorithm(algorithm);

  // Sample, and score.
  const gathered = await gatherSamples(run, step, control);
  const { samples, counted, masks } = trainingBatch(gathered, config);

  // Compare with the reference.
  let reference: Float32Array[] | null = null;
  if (usesReference(config.algorithm)) {
    const onProgress = (done: number): Promise<void> => control.tick('reference', done);
    reference = (await responseStatistics(policy, samples, config, { adapter: 'off', onProgress })).logprobs;
  }

  // Advantages, once the log-probabilities under the policy that sampled are known.
  const advantagesOf = (old: TokenStatistics) => {
    const rollouts = counted.map(({ reward, group }, i) => ({
      reward: reward.total,
      group,
      logprobs: old.logprobs[i],
      refLogprobs: reference?.[i],
      mask: masks[i],
    }));
    const found = computeAdvantages(rollouts, algorithm);
    const advantages = samples.map(({ response }, i) => found[i] ?? new Float64Array(response.length));
    const choice = chooseTokens({ ...old, advantages, masks }, algorithm, { seed: config.seed, step });
    return { old: old.logprobs, advantages, choice };
  };
  const needsLogprobs = kl.place === 'reward' || choosesTokens(settings);
  const plan = planUpdates({ samples, counted, masks }, needsLogprobs, config, step);
  const known = await oldStatistics(policy, samples, plan, config, (done) => control.tick('update', done));
  let batch = known && advantagesOf(known);

  const adamw = adamwAt(step, config);
  const tally = new Tally(samples);
  let entropyControl = state.entropy;
  let applied = true;
  for (const [update, { parts, totals }] of plan.updates.entries()) {
    const entropyCoefficient = appliedEntropyCoefficient(entropyControl, settings);
    tally.beginUpdate();
    for (const { members, sequences, promptLengths, before, fraction } of parts) {
      // Loss.
      const part = <T>(rows: readonly T[]): T[] => members.map((i) => rows[i]);
      const objective = (tokens: TokenStatistics): TokenGradients => {
        batch ??= advantagesOf(tokens);
        const { old, advantages, choice } = batch;
        const loss = policyLoss(
          tokens.logprobs,
          update === 0 ? tokens.logprobs : part(old),
          reference && part(reference),
          part(advantages),
          { ...algorithm, entropyCoefficient },
          {
            masks: part(masks),
            entropies: tokens.entropies,
            choice: choice && choiceOf(choice, members),
            step: totals,
          },
        );
        tally.add(members, tokens, loss);
        return gradientsOf(loss);
      };
      const onProgress = (done: number): Promise<void> => control.tick('update', before + done * fraction);
      await onProgress(0);
      await policy.backward(sequences, promptLengths, { temperature, objective, onProgress });
    }

    // Update.
    const taken = tally.lossIsFinite() ? await policy.update(adamw) : null;
    if (taken) entropyControl = nextEntropyControl(entropyControl, tally.endUpdate(taken.gradNorm), settings);
    applied = taken?.applied ?? false;
    if (!applied) break;
  }
  const { resetEvery, resetMix, resetOptimizer } = settings.kl;
  if (reference && applied && resetEvery > 0 && step % resetEvery === 0) {
    policy.moveReference({ mix: resetMix, resetOptimizer });
  }
  const advantages = batch?.advantages ?? [];
  const report = tally.report(advantages, entropyControl, applied);

  // Look at what it did.
  const before = plan.old === 'own pass' && known ? known.logprobs : tally.firstLogprobs;
  const byToken = applied ? await tokenChanges(policy, { samples, before, advantages }, config) : new Map();
  return concludeStep(run, step, { gathered, report, byToken, settings, adamw, times: control.times() });
}
