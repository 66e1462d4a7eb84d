import { describe, expect, it } from 'vitest';
import { weightsZip } from '../../src/export/weights-zip';
import { unzipFiles } from './unzip-files';
import type { EvalReport } from '../../src/run/record/evaluation';
import type { Checkpoint } from '../../src/run/record/events';
import { emptyHistory } from '../../src/run/record/history';
import { presets } from '../../src/run/config/presets';
import type { RunConfig } from '../../src/run/config/config';
import { decodeLink } from '../../src/share/settings-link';
import { evalReport } from '../run/verdict/verdicts';
import { embeddedFiles } from './model-folder';

const preset = presets['ladder-25k'];
const adapter = { rank: 1, alpha: 2, useRslora: false, baseModel: null };
const query = 'base_model.model.model.layers.0.self_attn.q_proj';

/** A checkpoint of four values: one tensor of a full model, or the two of an adapter. */
function checkpointOf(config: RunConfig, step: number, name = 'model.norm.weight'): Checkpoint {
  const values = Float32Array.of(1, 2, 3, 4);
  const layout =
    config.training.mode === 'full'
      ? { tensors: [{ name, shape: [4] }], adapter: null }
      : { tensors: [{ name: `${query}.lora_A.weight`, shape: [1, 2] }, { name: `${query}.lora_B.weight`, shape: [2, 1] }], adapter }; // prettier-ignore
  const policy = { parameters: values, moment1: values, moment2: values, updates: 1, reference: null, layout }; // prettier-ignore
  return { version: 1, config, step, policy, trainer: {} };
}

/** An evaluation with this accuracy. */
function evaluationAt(step: number, fraction: number): { report: EvalReport } {
  const of = { count: 10, accuracy: fraction, low: 0, high: 1 };
  return { report: evalReport({ step, overall: of, shortcutRight: of, shortcutWrong: of, meanLength: 9 }) };
}

const evals = [evaluationAt(0, 0.25), evaluationAt(10, 0.5), evaluationAt(20, 0.75)];

async function unpacked(checkpoint: Checkpoint): Promise<Record<string, string>> {
  const files = embeddedFiles('ladder-25k');
  const zip = await unzipFiles(await weightsZip(checkpoint, { ...emptyHistory, evals }, { files }));
  const texts = Object.entries(zip).map(async ([name, blob]) => [name, await blob.text()] as const);
  return Object.fromEntries(await Promise.all(texts));
}

describe('the weights of a run', () => {
  it('have the model’s files, a fast tokenizer in its own folder, and a card up to their step', async () => {
    const { 'README.md': card, ...files } = await unpacked(checkpointOf(preset, 10));
    const tokenizer = ['tokenizer.json', 'tokenizer/tokenizer.json', 'tokenizer/tokenizer_config.json', 'tokenizer_config.json']; // prettier-ignore
    expect(Object.keys(files).sort()).toEqual(['config.json', 'model.safetensors', ...tokenizer]);
    expect(files['tokenizer/tokenizer_config.json']).toContain('PreTrainedTokenizerFast');
    expect(card).toMatch(/^---\nlicense: apache-2\.0\nlibrary_name: transformers\n/);
    expect(card).toContain('AutoModelForCausalLM.from_pretrained');
    expect(card).toContain('| right answers | 25.0 % | 50.0 % |');
    const [, link] = /The run in Marble: `+ ?(#[^\s`]+)/.exec(card)!;
    expect((await decodeLink(link)).config).toEqual(preset);
  });

  it('have the config of the model with their own type and head', async () => {
    const written = async (tensor: string): Promise<unknown> =>
      JSON.parse((await unpacked(checkpointOf(preset, 20, tensor)))['config.json']);
    const tied = {
      torch_dtype: 'float32',
      tie_word_embeddings: true,
      vocab_size: expect.any(Number) as number,
    };
    expect(await written('model.norm.weight')).toMatchObject(tied);
    expect(await written('lm_head.weight')).toMatchObject({ ...tied, tie_word_embeddings: false });
  });

  it('have a card that names the base model of an adapter and no licence for a third-party model', async () => {
    const training = { mode: 'lora' as const, rank: 1, alpha: 2 };
    const hub = {
      kind: 'hub' as const,
      repository: 'somebody/model:model.Q4_1.gguf',
      revision: 'a'.repeat(40),
    };
    const files = await unpacked(checkpointOf({ ...preset, model: hub, training }, 20));
    expect(Object.keys(files).sort()).toEqual(['README.md', 'adapter_config.json', 'adapter_model.safetensors']); // prettier-ignore
    expect(files['README.md']).toMatch(/^---\nbase_model: somebody\/model\nlibrary_name: peft\n/);
    expect(files['README.md']).toContain('PeftModel.from_pretrained');
    expect(files['README.md']).not.toContain('license:');
  });
});
