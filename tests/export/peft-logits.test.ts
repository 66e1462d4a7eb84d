/**
 * Compares Marble with PEFT and transformers: logits of exported weights, logits of adapters that PEFT writes, and token ids of
 * exported tokenizers. Runs in `npm run test:slow` if the wheels can be installed.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tokenizerFiles } from '../../src/export/weights-zip';
import { engine, openEngineForAll } from '../fixtures/engine';
import { savedWeights } from '../../src/model/files/export';
import { loadPolicy } from '../../src/model/load-policy';
import type { Policy } from '../../src/model/policy';
import { openSource } from '../../src/model/source/source';
import { readTokenizer } from '../../src/model/tokenizer/tokenizer';
import { createRandom } from '../../src/base/random';
import type { EmbeddedModel } from '../../src/run/config/model-config';
import { presets } from '../../src/run/config/presets';
import { compactPrompt } from '../../src/tom/text/prompts';
import { folderForAll, writeFiles } from '../fixtures/folder';
import { itemsOf } from '../tom/items';
import { embeddedConfig, embeddedFiles } from './model-folder';
import { runPython } from './python';
import { pythonOfSlowTests } from './peft-venv';

const python = pythonOfSlowTests();

/** Settings of a PEFT adapter. */
interface AdapterShape {
  r: number;
  lora_alpha: number;
  use_rslora: boolean;
  target_modules: string[];
}

const all = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'];

const shapes: Record<string, AdapterShape> = {
  'alpha different from the rank': { r: 3, lora_alpha: 16, use_rslora: false, target_modules: all },
  'the scale of rsLoRA': { r: 8, lora_alpha: 6, use_rslora: true, target_modules: all },
  'some projections only': { r: 2, lora_alpha: 5, use_rslora: false, target_modules: ['q_proj', 'down_proj'] }, // prettier-ignore
};

const common = `
import json, os, sys
import torch
from transformers import AutoModelForCausalLM
torch.set_num_threads(1)
def load(folder):
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
def base():
    model = load("base")
    for parameter in model.parameters():
        if parameter.dim() == 2: # Marble rounds frozen matrices
            parameter.data = parameter.data.bfloat16().float()
    return model
def logits_of(model, sequences):
    with torch.no_grad():
        return [model(torch.tensor([ids])).logits[0].flatten().tolist() for ids in sequences]
`;

/** Writes adapters with a nonzero B, as after training, and returns the model's logits with each. */
const writing = `${common}
from peft import LoraConfig, get_peft_model
asked = json.load(sys.stdin)
found = {}
for index, (name, shape) in enumerate(asked["shapes"].items()):
    torch.manual_seed(index)
    model = get_peft_model(base(), LoraConfig(task_type="CAUSAL_LM", **shape))
    for parameter in model.parameters():
        if parameter.requires_grad:
            torch.nn.init.normal_(parameter, std=0.1)
    model.save_pretrained(os.path.join("theirs", str(index)))
    found[name] = logits_of(model, asked["sequences"])
print(json.dumps(found))
`;

const reading = `${common}
from peft import PeftModel
asked = json.load(sys.stdin)
found = {"all weights": logits_of(load("full"), asked["sequences"])}
for name, folder in asked["folders"].items():
    model = PeftModel.from_pretrained(base(), folder)
    found[name] = logits_of(model, asked["sequences"])
print(json.dumps(found))
`;

type Logits = readonly (readonly number[])[];

const toArrays = (rows: readonly Float32Array[]): Logits => rows.map((row) => Array.from(row));

/** Largest absolute difference of two logits. */
function maxDifference(one: Logits, other: Logits): number {
  expect(one.map((row) => row.length)).toEqual(other.map((row) => row.length));
  return Math.max(...one.flatMap((row, at) => row.map((value, index) => Math.abs(value - other[at][index]))));
}

const write = (folder: string, files: Record<string, Blob>): Promise<void> =>
  writeFiles(folder, Object.entries(files));

const blobsIn = (folder: string): Record<string, Blob> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, new Blob([readFileSync(join(folder, name))])]));

const source = { files: embeddedFiles('ladder-25k') };
const { vocabularySize } = embeddedConfig('ladder-25k');
const random = createRandom(17);
const sequences = [9, 30, 57].map((length) => Array.from({ length }, () => random.integer(vocabularySize)));

/** Applies two updates, which change every parameter. */
async function trainSome(policy: Policy): Promise<void> {
  for (let update = 0; update < 2; update++) {
    await policy.backward(sequences, [3, 10, 20], {
      objective: ({ logprobs }) => ({
        logprobs: logprobs.map((row, index) => row.map((_, token) => Math.sin(1 + index + 2 * token))),
      }),
    });
    await policy.update({ learningRate: 0.01, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 }); // prettier-ignore
  }
}

describe.skipIf(python === null)('PEFT', () => {
  const tolerance = 1e-4;
  const folder = folderForAll('peft');
  openEngineForAll('wasm');
  /** Logits in PEFT by name, with the adapters that PEFT wrote. */
  let written: Record<string, Logits>;
  /** Logits in PEFT by name, with the adapters that Marble trained further. */
  let read: Record<string, Logits>;
  const opened: Record<string, Logits> = {};
  const trained: Record<string, Logits> = {};

  beforeAll(async () => {
    await write(join(folder, 'base'), source.files);
    written = runPython(writing, folder, { shapes, sequences }, python!) as Record<string, Logits>;

    const folders: Record<string, string> = {};
    const save = async (name: string, policy: Policy): Promise<void> => {
      await trainSome(policy);
      trained[name] = toArrays(await policy.logits(sequences));
      folders[name] = `ours/${Object.keys(folders).length}`;
      await write(join(folder, folders[name]), savedWeights(await policy.state()));
      policy.dispose();
    };
    for (const [index, name] of Object.keys(shapes).entries()) {
      const adapter = { files: blobsIn(join(folder, 'theirs', String(index))) };
      const policy = await loadPolicy(engine, source, { adapter });
      opened[name] = toArrays(await policy.logits(sequences));
      await save(name, policy);
    }
    await save('a fresh adapter', await loadPolicy(engine, source, { lora: { rank: 6, alpha: 9, seed: 4 } }));

    const full = await loadPolicy(engine, source);
    await trainSome(full);
    trained['all weights'] = toArrays(await full.logits(sequences));
    await write(join(folder, 'full'), { ...source.files, ...savedWeights(await full.state()) });
    full.dispose();
    read = runPython(reading, folder, { folders, sequences }, python!) as Record<string, Logits>;
  }, 600_000);

  it.each(Object.keys(shapes))('writes an adapter with %s that gives the same logits in Marble', (name) => {
    expect(maxDifference(opened[name], written[name])).toBeLessThan(tolerance);
  });

  it.each([...Object.keys(shapes), 'a fresh adapter'])(
    'reads an adapter trained by Marble with %s to the same logits',
    (name) => {
      expect(maxDifference(trained[name], read[name])).toBeLessThan(tolerance);
      // Training changes the logits by far more than the tolerance, so the test detects a lost scale or projection.
      if (name in opened) expect(maxDifference(trained[name], opened[name])).toBeGreaterThan(0.05);
    },
  );

  it('leaves a fully trained model to transformers, which gives the same logits', () => {
    expect(maxDifference(trained['all weights'], read['all weights'])).toBeLessThan(tolerance);
  });
});

const encoding = `
import json, sys
from transformers import AutoTokenizer
asked = json.load(sys.stdin)
print(json.dumps([
    [AutoTokenizer.from_pretrained(folder)(text, add_special_tokens=False)["input_ids"] for text in texts]
    for folder, texts in asked
]))
`;

describe.skipIf(python === null)('transformers', () => {
  const folder = folderForAll('tokenizers');

  it(
    'gives Marble’s token ids for the tokenizer folder of every embedded model',
    { timeout: 600_000 },
    async () => {
      const requests: [string, string[]][] = [];
      const ours: number[][][] = [];
      for (const name of readdirSync(join(import.meta.dirname, '../../public/models')) as EmbeddedModel[]) {
        const files = embeddedFiles(name);
        const opened = await openSource({ files });
        const tokenizer = await readTokenizer(opened);
        const items = itemsOf(presets[name].data.source, 50, 5, { orders: [0, 1, 2, 3] });
        const texts = items.map((item) =>
          [compactPrompt(item), ...Object.values(item.traces ?? {})].join(' '),
        );
        const written = Object.entries(await tokenizerFiles(opened));
        await writeFiles(
          folder,
          written
            .filter(([path]) => path.startsWith('tokenizer/'))
            .map(([path, blob]) => [path.replace('tokenizer', name), blob]),
        );
        requests.push([join(folder, name), texts]);
        ours.push(texts.map((text) => tokenizer.encode(text)));
      }
      expect(runPython(encoding, folder, requests, python!)).toEqual(ours);
    },
  );
});
