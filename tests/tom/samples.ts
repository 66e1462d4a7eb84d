/**
 * Samples of public data sets, read from a folder outside the repository if it exists; tests that need them report when
 * they skip.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../shared/data/', import.meta.url));

export const samplesPresent = existsSync(folder);
if (!samplesPresent) console.log(`skipping the tests on public data sets: ${folder} is absent`);

export function sampleText(path: string): string {
  return readFileSync(`${folder}${path}`, 'utf8');
}

export function sampleBlob(path: string): Blob {
  return new Blob([readFileSync(`${folder}${path}`)]);
}

export function sampleLines<Row>(path: string): Row[] {
  return sampleText(path)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}
