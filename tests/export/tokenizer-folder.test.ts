/** What transformers makes of the tokenizers that leave Marble; by `npm run test:slow`, where transformers is to be had. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fastTokenizer } from '../../src/export/model-files';
import { readTokenizer } from '../../src/model/tokenizer/tokenizer-files';
import { openSource } from '../../src/model/source/source';
import type { EmbeddedModel } from '../../src/run/config/config';
import { homePresets, presets } from '../../src/run/config/presets';
import { generateDataset } from '../../src/tom/worlds/generate';
import { compactPrompt } from '../../src/tom/text/prompts';
import { sampled } from '../fixtures/sample';
import { embeddedFiles } from './model-folder';
import { runPython } from './cluster/python';
import { pythonWithTrl } from './cluster/trl-venv';

const python = sampled(() => {
  console.log('skipped: transformers is run by `npm run test:slow` alone');
  return null;
}, pythonWithTrl)();

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
  it('reads the tokenizer folder of every embedded model to our ids', { timeout: 600_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'marble-tokenizers-'));
    const asked: [string, string[]][] = [];
    const ours: number[][][] = [];
    try {
      for (const name of models) {
        const files = embeddedFiles(name);
        const tokenizer = await readTokenizer(await openSource({ files }));
        const items = generateDataset({
          source: presets[homePresets[name]].data.source,
          orders: [0, 1, 2, 3],
          dropShortcutRight: 0,
          reentry: false,
          count: 50,
          seed: 5,
        });
        const texts = items.map((item) =>
          [compactPrompt(item), ...Object.values(item.traces ?? {})].join(' '),
        );
        mkdirSync(join(folder, name));
        for (const [path, blob] of Object.entries(await fastTokenizer(files))) {
          writeFileSync(
            join(folder, name, path.replace('tokenizer/', '')),
            new Uint8Array(await blob.arrayBuffer()),
          );
        }
        asked.push([join(folder, name), texts]);
        ours.push(texts.map((text) => tokenizer.encode(text)));
      }
      expect(runPython(program, folder, asked, python!)).toEqual(ours);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
