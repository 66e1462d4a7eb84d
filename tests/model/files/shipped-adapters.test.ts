/** Tests of the adapters in `public/adapters`. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { adapterSourceOf } from '../../../src/command/model-places';
import { parseModelConfig } from '../../../src/model/config';
import { openAdapter } from '../../../src/model/files/adapter-files';
import { openSource } from '../../../src/model/source/source';
import { presets } from '../../../src/run/config/presets';

const folder = join(import.meta.dirname, '../../../public/adapters');
const smol = parseModelConfig({
  ...{ model_type: 'llama', architectures: ['LlamaForCausalLM'], hidden_size: 576, intermediate_size: 1536 },
  ...{ num_attention_heads: 9, num_key_value_heads: 3, num_hidden_layers: 30, vocab_size: 49152 },
  ...{ max_position_embeddings: 8192, rms_norm_eps: 1e-5, rope_theta: 100000, tie_word_embeddings: true },
});
it('have at most 6 MB in bf16 and the shape of their presets', async () => {
  expect(readdirSync(join(folder, 'rooms-135m')).sort()).toEqual(['README.md', 'adapter_config.json', 'adapter_model.safetensors']); // prettier-ignore
  expect(statSync(join(folder, 'rooms-135m', 'adapter_model.safetensors')).size).toBeLessThanOrEqual(6e6);
  const source = await adapterSourceOf(presets['first-run-135m'], {}, null);
  const opened = await openAdapter(await openSource(source!), smol);
  const { training } = presets['first-run-135m'];
  expect(training).toMatchObject({ rank: opened.rank, alpha: opened.alpha });
  expect(new Set([...opened.tensors.values()].map(({ dtype }) => dtype))).toEqual(new Set(['BF16']));
  expect(opened.tensors.size).toBe(30 * 7 * 2);
});
