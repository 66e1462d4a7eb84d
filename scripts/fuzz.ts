/**
 * Damages files for as long as one likes, and tells for every parser how many copies it refused, the slowest, and each
 * that ended in anything but a named error. Exits with 1 when there was one.
 *
 *     npx tsx scripts/fuzz.ts [cases of each parser = 1000000] [name of one parser] [seed = 1]
 */
import { MarbleError } from '../src/error';
import { createRandom } from '../src/random';
import { mutate } from '../tests/fixtures/mutations';
import { parsers, type Parser } from '../tests/model/parsers';

interface Tally {
  parser: string;
  cases: number;
  refused: number;
  failures: number;
  slowestMs: number;
  over50Ms: number;
  codes: number;
}

async function timeOf(read: Parser['read'], bytes: Uint8Array): Promise<number> {
  const begun = performance.now();
  await read(bytes).catch(() => undefined);
  return performance.now() - begun;
}

async function fuzz({ name, good, read }: Parser, cases: number, seed: number): Promise<Tally> {
  const random = createRandom(seed, 0xf022);
  const codes = new Set<string>();
  const tally: Tally = { parser: name, cases, refused: 0, failures: 0, slowestMs: 0, over50Ms: 0, codes: 0 };
  for (let round = 0; round < cases; round++) {
    const bytes = mutate(good, random);
    const begun = performance.now();
    try {
      await read(bytes);
    } catch (thrown) {
      if (thrown instanceof MarbleError) {
        tally.refused++;
        codes.add(thrown.code);
      } else {
        tally.failures++;
        console.error(
          `${name}, seed ${seed}, round ${round}: ${JSON.stringify(new TextDecoder().decode(bytes))}`,
        );
        console.error(thrown);
      }
    }
    let took = performance.now() - begun;
    // A busy machine is not the file's fault: what was slow is timed again.
    for (let again = 0; again < 3 && took > 10; again++) took = Math.min(took, await timeOf(read, bytes));
    tally.slowestMs = Math.max(tally.slowestMs, took);
    if (took > 50) tally.over50Ms++;
  }
  return { ...tally, slowestMs: Math.round(tally.slowestMs * 10) / 10, codes: codes.size };
}

const [cases = '1000000', only, seed = '1'] = process.argv.slice(2);
for (const parser of await parsers()) {
  if (only !== undefined && only !== '' && parser.name !== only) continue;
  const tally = await fuzz(parser, Number(cases), Number(seed));
  console.log(JSON.stringify(tally));
  if (tally.failures > 0) process.exitCode = 1;
}
