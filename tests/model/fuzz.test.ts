import { describe, expect, it } from 'vitest';
import { MarbleError } from '../../src/error';
import { createRandom } from '../../src/random';
import { mutate } from '../fixtures/mutations';
import { parsers } from './parsers';
import { sampled } from '../fixtures/sample';

const CASES = sampled(2000, 10_000);
const all = await parsers();

describe('damaged files', () => {
  for (const [position, { name, good, read }] of all.entries()) {
    it(`in the place of ${name} end in a named error, ${CASES} times`, async () => {
      await read(good);
      const random = createRandom(position + 1);
      let refused = 0;
      for (let round = 0; round < CASES; round++) {
        const bytes = mutate(good, random);
        try {
          await read(bytes);
        } catch (thrown) {
          if (!(thrown instanceof MarbleError)) {
            throw new Error(`round ${round}: ${JSON.stringify(new TextDecoder().decode(bytes))}`, {
              cause: thrown,
            });
          }
          refused++;
        }
      }
      expect(refused).toBeGreaterThan(CASES / 4);
    });
  }
});
