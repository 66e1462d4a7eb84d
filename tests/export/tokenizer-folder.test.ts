/** What transformers makes of the tokenizers that leave Marble; by `npm run test:slow`, where transformers is to be had. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fastTokenizer } from '../../src/export/model-files';
import { readTokenizer } from '../../src/model/tokenizer/tokenizer-files';
import { openSource } from '../../src/model/source/source';
import type { EmbeddedModel } from '../../src/run/config/config';
import { homePresets, presets } from '../../src/run/config/presets';
import { compactPrompt } from '../../src/tom/text/prompts';
import { folderForAll, writeFiles } from '../fixtures/folder';
import { itemsOf } from '../tom/items';
import { embeddedFiles } from './model-folder';
import { runPython } from './cluster/python';
import { pythonOfSlowTests } from './cluster/trl-venv';

const python = pythonOfSlowTests('transformers is run');

const program = `
import json, sys
from transformers import AutoTokenizer
asked = json.load(sys.stdin)
print(json.dumps([
    [AutoTokenizer.from_pretrained(folder)(text, add_special_tokens=False)["input_ids"] for text in texts]
    for folder, texts in asked
]))
`;

const models = readdirSync(join(import.meta.dirname, '../../public/models')) as EmbeddedModel[];

describe.skipIf(python === null)('transformers', () => {
  const folder = folderForAll('tokenizers');

  it('reads the tokenizer folder of every embedded model to our ids', { timeout: 600_000 }, async () => {
    const asked: [string, string[]][] = [];
    const ours: number[][][] = [];
    for (const name of models) {
      const files = embeddedFiles(name);
      const tokenizer = await readTokenizer(await openSource({ files }));
      const items = itemsOf(presets[homePresets[name]].data.source, 50, 5, { orders: [0, 1, 2, 3] });
      const texts = items.map((item) => [compactPrompt(item), ...Object.values(item.traces ?? {})].join(' '));
      const written = Object.entries(await fastTokenizer(files));
      await writeFiles(
        folder,
        written.map(([path, blob]) => [path.replace('tokenizer', name), blob]),
      );
      asked.push([join(folder, name), texts]);
      ours.push(texts.map((text) => tokenizer.encode(text)));
    }
    expect(runPython(program, folder, asked, python!)).toEqual(ours);
  });
});
