/** Samples of public data sets in `../shared`; tests that need them report when they skip. */
import { readFileSync } from 'node:fs';
import { hasShared, sharedPath } from '../fixtures/shared';

export const samplesPresent = hasShared('data/');

export const sampleText = (path: string): string => readFileSync(sharedPath(`data/${path}`), 'utf8');

export const sampleBlob = (path: string): Blob => new Blob([readFileSync(sharedPath(`data/${path}`))]);

export function sampleLines<Row>(path: string): Row[] {
  return sampleText(path)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}
