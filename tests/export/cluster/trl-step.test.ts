/** Compares one optimiser step of TRL on an exported run with Marble's, then trains four more steps to the end. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { exportRun } from '../../../src/export/cluster/export-run';
import { engine, openEngineForAll } from '../../fixtures/engine';
import { loadPolicy } from '../../../src/model/load-policy';
import { computeAdvantages } from '../../../src/objective/advantages';
import { openItems } from '../../../src/rl/data';
import { policyLoss } from '../../../src/objective/loss';
import { withLengthTerms } from '../../../src/rl/rollout';
import { score } from '../../../src/reward/score';
import { algorithms, resolveAlgorithm, type AlgorithmName } from '../../../src/objective/algorithm';
import type { RunConfig } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import { deviation } from '../../../src/base/statistics';
import { folderForAll, writeFiles } from '../../fixtures/folder';
import { adapter } from '../adapter';
import { embeddedFiles } from '../model-folder';
import { runPython } from './python';
import { pythonOfSlowTests } from './trl-venv';

const python = pythonOfSlowTests('TRL is run');

const driver = `
import contextlib, importlib.util, json, os, sys
folders = json.load(sys.stdin)
found = []
with contextlib.redirect_stdout(sys.stderr):
    import torch
    torch.set_num_threads(1)
    for folder in folders:
        for name in ("reward", "check"):
            sys.modules.pop(name, None)
        spec = importlib.util.spec_from_file_location("run_trl", os.path.join(folder, "run-trl.py"))
        run = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(run)
        work = run.trainer_of(run.asked_of(["--out", os.path.join(folder, "trained"), "--steps", "5"]))
        seen = {}
        generate, probabilities, loss, rewards = work._generate_and_score_completions, work._get_per_token_logps_and_entropies, work._compute_loss, work._calculate_rewards
        def generating(inputs):
            out = generate(inputs)
            seen.setdefault("batch", {name: out[name].tolist() for name in ("prompt_ids", "prompt_mask", "completion_ids", "completion_mask", "advantages")})
            return out
        def rewarding(*args, **kwargs):
            out = rewards(*args, **kwargs)
            seen.setdefault("rewards", out[:, 0].tolist())
            return out
        def computing(model, inputs):
            def asking(*args, **kwargs):
                out = probabilities(*args, **kwargs)
                seen.setdefault("logprobs", out[0].tolist())
                return out
            work._get_per_token_logps_and_entropies = asking
            out = loss(model, inputs)
            work._get_per_token_logps_and_entropies = probabilities
            seen.setdefault("order", inputs["completion_ids"].tolist())
            seen.setdefault("advantages", inputs["advantages"].tolist())
            seen.setdefault("prompts", [inputs["prompt_ids"].tolist(), inputs["prompt_mask"].tolist(), inputs["completion_mask"].tolist()])
            seen.setdefault("loss", out.item())
            return out
        work._generate_and_score_completions, work._compute_loss, work._calculate_rewards = generating, computing, rewarding
        work.train()
        seen["log"] = work.state.log_history
        found.append(seen)
json.dump(found, sys.stdout)
`;

interface Seen {
  /** Fields of each completion, in the order of generation of the first batch. */
  batch: Record<'prompt_ids' | 'prompt_mask' | 'completion_ids' | 'completion_mask', number[][]>;
  rewards: number[];
  /** The same completions in the order of the first loss. */
  order: number[][];
  prompts: [ids: number[][], mask: number[][], completionMask: number[][]];
  advantages: number[];
  logprobs: number[][];
  loss: number;
  log: Record<string, number>[];
}

const base = presets['ladder-25k'];

function configOf(name: AlgorithmName, training: RunConfig['training']): RunConfig {
  return {
    ...base,
    training,
    steps: 5,
    algorithm: { ...algorithms[name], resampleRounds: 0 },
    rollout: { promptsPerStep: 4, samplesPerPrompt: 4, temperature: 1, maxNewTokens: 40 },
    evaluation: { ...base.evaluation, items: 4, finalItems: 4, validationItems: 0 },
  };
}

const cases: { title: string; config: RunConfig }[] = [
  ...(['grpo', 'dr-grpo', 'rloo', 'dapo'] as const).map((name) => ({
    title: name,
    config: configOf(name, { mode: 'full' }),
  })),
  {
    title: 'grpo on a saved adapter',
    config: configOf('grpo', { mode: 'lora', rank: 4, alpha: 8, adapter: 'files:start' }),
  },
];

const someAdapter = (): Record<string, Blob> =>
  adapter({ rank: 4, alpha: 8, spread: 0.06 }, { 'self_attn.q_proj': [32, 32], 'self_attn.k_proj': [32, 32], 'self_attn.v_proj': [32, 32], 'self_attn.o_proj': [32, 32], 'mlp.gate_proj': [80, 32], 'mlp.up_proj': [80, 32], 'mlp.down_proj': [32, 80] }); // prettier-ignore

const masked = (ids: readonly number[], mask: readonly number[]): number[] =>
  ids.filter((_, at) => mask[at] === 1);

describe.skipIf(python === null)('a step of TRL', () => {
  const folder = folderForAll('trl');
  openEngineForAll('wasm');
  let seen: Seen[] = [];

  beforeAll(async () => {
    const folders: string[] = [];
    for (const [index, { config }] of cases.entries()) {
      const out = join(folder, String(index));
      const starts = config.training.mode === 'lora' ? { adapterFiles: someAdapter() } : {};
      const { files } = await exportRun(config, {
        to: 'trl',
        modelFiles: embeddedFiles('ladder-25k'),
        ...starts,
      });
      await writeFiles(out, files);
      folders.push(out);
    }
    seen = runPython(driver, folder, folders, python!) as Seen[];
  }, 1_200_000);

  it.each(cases.map(({ title, config }, index) => ({ title, config, index })))(
    'equals Marble’s with $title, and five steps run to the end',
    async ({ config, index }) => {
      const step = seen[index];
      const policy = await loadPolicy(
        engine,
        { files: embeddedFiles('ladder-25k') },
        config.training.mode === 'lora' ? { adapter: { files: someAdapter() }, weights: 'f32' } : {},
      );
      const { rollout } = config;
      const algorithm = resolveAlgorithm(config.algorithm);
      const items = openItems(config).training(0, rollout.promptsPerStep);
      const rewardOf = (response: readonly number[], item: (typeof items)[number]): number => {
        const reward = score(policy.tokenizer!.decode(response), item, config.reward);
        return withLengthTerms({ reward, response: [...response] }, rollout.maxNewTokens, config.algorithm)
          .total;
      };
      const { batch } = step;
      const responses = batch.completion_ids.map((ids, row) => masked(ids, batch.completion_mask[row]));
      const rewards = responses.map((response, row) => rewardOf(response, items[Math.floor(row / rollout.samplesPerPrompt)])); // prettier-ignore
      rewards.forEach((reward, row) => expect(Math.fround(reward)).toBe(step.rewards[row]));
      expect(new Set(rewards).size).toBeGreaterThan(1);

      // TRL shuffles the batch before the loss. Rows are matched by their tokens.
      const key = (prompt: readonly number[], response: readonly number[]): string =>
        `${prompt.join()}|${response.join()}`;
      const generated = responses.map((response, row) => key(masked(batch.prompt_ids[row], batch.prompt_mask[row]), response)); // prettier-ignore
      const rows = step.order.map((ids, row) => {
        const prompt = masked(step.prompts[0][row], step.prompts[1][row]);
        const response = masked(ids, step.prompts[2][row]);
        return { prompt, response, at: generated.indexOf(key(prompt, response)) };
      });
      const sequences = rows.map(({ prompt, response }) => [...prompt, ...response]);
      const lengths = rows.map(({ prompt }) => prompt.length);
      const statistics = await policy.logprobs(sequences, lengths);
      statistics.logprobs.forEach((row, i) => row.forEach((value, token) => expect(Math.abs(value - step.logprobs[i][token])).toBeLessThan(1e-4))); // prettier-ignore

      const group = (at: number): number => Math.floor(at / rollout.samplesPerPrompt);
      const advantages = computeAdvantages(
        rows.map(({ at }, row) => ({ reward: rewards[at], group: group(at), logprobs: statistics.logprobs[row], refLogprobs: statistics.logprobs[row] })), // prettier-ignore
        config.algorithm,
      ).map((row, i) => {
        if (algorithm.scale !== 'group') return row;
        // TRL adds 1e-4 to a group's standard deviation, Marble 1e-6.
        const spread = deviation(rewards.filter((_, at) => group(at) === group(rows[i].at)));
        return row.map((value) => (value * (spread + 1e-6)) / (spread + 1e-4));
      });
      advantages.forEach((row, i) => expect(Math.abs(row[0] - step.advantages[i])).toBeLessThan(1e-5));

      let loss = NaN;
      await policy.backward(sequences, lengths, {
        objective: ({ logprobs }) => {
          const report = policyLoss(logprobs, logprobs, logprobs, advantages, { ...config.algorithm, maxLength: rollout.maxNewTokens }); // prettier-ignore
          loss = report.loss;
          return { logprobs: report.gradient.map((row) => Float32Array.from(row)) };
        },
      });
      expect(Math.abs(loss - step.loss)).toBeLessThan(1e-5);
      const { beta1, beta2, epsilon, weightDecay, maxGradNorm } = config.optimizer;
      const { gradNorm } = await policy.update({
        learningRate: 1e-3,
        beta1,
        beta2,
        epsilon,
        weightDecay,
        maxGradNorm,
      });
      const [first] = step.log;
      console.log(`gradient norm ${gradNorm}, TRL ${first.grad_norm}; loss ${loss}, TRL ${step.loss}`);
      expect(gradNorm).toBeGreaterThan(0.01);
      expect(Math.abs(gradNorm / first.grad_norm - 1)).toBeLessThan(1e-5);
      policy.dispose();

      expect(step.log.filter(({ reward }) => reward !== undefined)).toHaveLength(5);
    },
    300_000,
  );
});
