import { describe, expect, it } from 'vitest';
import { fuzz, MOST_AMPLIFICATION } from '../fixtures/fuzz';
import { parsers } from './parsers';
import { sampled } from '../fixtures/sample';

const CASES = sampled(1000, 10_000);
const all = await parsers();

describe('damaged files', () => {
  for (const [position, { name, good, read }] of all.entries()) {
    it(
      `in the place of ${name} end in a named error or in few bytes for each, ${CASES} times`,
      { timeout: 120_000 },
      async () => {
        await read(good);
        const { failures, refused, amplification } = await fuzz({ name, good, read }, CASES, position + 1);
        expect(failures).toBe(0);
        expect(amplification).toBeLessThanOrEqual(MOST_AMPLIFICATION);
        expect(refused).toBeGreaterThan(CASES / 4);
      },
    );
  }
});
