/** Writes a model of random bf16 weights: `node scripts/run.mjs bench/real/random-model.ts CONFIG.json FOLDER`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomModelFiles } from './random-weights';

const [configFile, folder] = process.argv.slice(2);
const config = JSON.parse(await readFile(configFile, 'utf8')) as Record<string, unknown>;
await mkdir(folder, { recursive: true });
for (const [name, file] of Object.entries(randomModelFiles(config)))
  await writeFile(join(folder, name), file.stream());
