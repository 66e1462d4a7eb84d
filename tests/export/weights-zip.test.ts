import { evalReport } from '../run/verdict/verdicts';
import { describe, expect, it } from 'vitest';
import { weightsZip } from '../../src/export/weights-zip';
import { unzipFiles } from '../../src/model/files/model-zip';
import type { EvalReport } from '../../src/run/record/evaluation';
import type { Checkpoint } from '../../src/run/record/events';
import { emptyHistory } from '../../src/run/record/history';
import { presets } from '../../src/run/config/presets';
import type { RunConfig } from '../../src/run/config/config';
import { decodeLink } from '../../src/share/settings-link';
import { embeddedFiles } from './model-folder';

const preset = presets['ladder-25k'];

function checkpointOf(config: RunConfig, step: number): Checkpoint {
  const parameters = Float32Array.of(1, 2, 3, 4);
  const adapter = { rank: 1, alpha: 2, useRslora: false, baseModel: null };
  const tensors =
    config.training.mode === 'full'
      ? [{ name: 'model.norm.weight', shape: [4] }]
      : ['A', 'B'].map((half) => ({
          name: `base_model.model.model.layers.0.self_attn.q_proj.lora_${half}.weight`,
          shape: half === 'A' ? [1, 2] : [2, 1],
        }));
  const layout = { tensors, adapter: config.training.mode === 'full' ? null : adapter };
  const policy = {
    parameters,
    moment1: parameters,
    moment2: parameters,
    updates: 1,
    reference: null,
    layout,
  };
  return { version: 1, config, step, policy, trainer: {} };
}

/** An evaluation with this accuracy. */
function evaluationAt(step: number, fraction: number): { report: EvalReport } {
  const of = { count: 10, accuracy: fraction, low: 0, high: 1 };
  return { report: evalReport({ step, overall: of, shortcutRight: of, shortcutWrong: of, meanLength: 9 }) };
}

const history = {
  ...emptyHistory,
  evals: [evaluationAt(0, 0.25), evaluationAt(10, 0.5), evaluationAt(20, 0.75)],
};

async function unpacked(config: RunConfig, step: number): Promise<Record<string, string>> {
  const files = await unzipFiles(
    await weightsZip(checkpointOf(config, step), history, { files: embeddedFiles('ladder-25k') }),
  );
  const texts = Object.entries(files).map(async ([name, blob]) => [name, await blob.text()] as const);
  return Object.fromEntries(await Promise.all(texts));
}

describe('the weights of a run', () => {
  it('are exported with the model’s files and with its tokenizer as a fast tokenizer in a separate folder', async () => {
    const files = await unpacked(preset, 20);
    expect(Object.keys(files).sort()).toEqual([
      'README.md',
      'config.json',
      'model.safetensors',
      'tokenizer.json',
      'tokenizer/tokenizer.json',
      'tokenizer/tokenizer_config.json',
      'tokenizer_config.json',
    ]);
    expect(JSON.parse(files['tokenizer/tokenizer_config.json'])).toMatchObject({
      tokenizer_class: 'PreTrainedTokenizerFast',
    });
  });

  it('have the config of the model with the type of these weights and with their own head', async () => {
    const original = embeddedFiles('ladder-25k');
    const config = JSON.parse(await original['config.json'].text()) as Record<string, unknown>;
    const halves = { ...config, torch_dtype: 'bfloat16', dtype: 'bfloat16' };
    const files = { ...original, 'config.json': new Blob([JSON.stringify(halves)]) };
    const checkpoint = checkpointOf(preset, 20);
    const written = async () => {
      const zip = await unzipFiles(await weightsZip(checkpoint, history, { files }));
      return JSON.parse(await zip['config.json'].text()) as unknown;
    };
    expect(await written()).toEqual({ ...config, torch_dtype: 'float32', tie_word_embeddings: true });
    checkpoint.policy.layout!.tensors[0].name = 'lm_head.weight';
    expect(await written()).toMatchObject({ tie_word_embeddings: false });
  });

  it('have a model card with the run’s link and its figures up to the step of the weights', async () => {
    const card = (await unpacked(preset, 10))['README.md'];
    expect(card).toMatch(/^---\nlicense: apache-2\.0\nlibrary_name: transformers\n/);
    expect(card).toContain('after 10 steps of reinforce++');
    expect(card).toContain('| right answers | 25.0 % | 50.0 % |');
    const [, link] = /The run in Marble: `+ ?(#[^\s`]+)/.exec(card)!;
    expect((await decodeLink(link)).config).toEqual(preset);
  });

  it('have a card that names the base model of an adapter and no licence for a third-party model', async () => {
    const training = { mode: 'lora' as const, rank: 1, alpha: 2 };
    const hub = { kind: 'hub' as const, repository: 'somebody/model', revision: 'a'.repeat(40) };
    const files = await unpacked({ ...preset, model: hub, training }, 20);
    expect(Object.keys(files).sort()).toEqual([
      'README.md',
      'adapter_config.json',
      'adapter_model.safetensors',
    ]);
    expect(files['README.md']).toMatch(/^---\nbase_model: somebody\/model\nlibrary_name: peft\n/);
    expect(files['README.md']).not.toContain('license:');
  });
});
