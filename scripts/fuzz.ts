/**
 * Feeds damaged files to the parsers. For each parser it reports the number of refused copies, the slowest one, and
 * every copy that ended in anything but a MarbleError or took more than 50 ms. Exits with 1 if there was one.
 *
 *     npx tsx scripts/fuzz.ts [cases of each parser = 1000000] [name of one parser] [seed = 1]
 */
import { fuzz, isSound } from '../tests/fuzz/fuzz';
import { parsers } from '../tests/fuzz/parsers';
import { linkParser } from '../tests/share/link-parser';
import { runFileParser } from '../tests/share/run-file-parser';
import { datasetParsers } from '../tests/fuzz/dataset-parsers';

const [cases = '1000000', only, seed = '1'] = process.argv.slice(2);
const all = [...(await parsers()), ...datasetParsers, await runFileParser(), await linkParser()];
const names = all.map(({ name }) => name);
if (only && !names.includes(only)) throw new Error(`There is no ${only}; there are ${names.join(', ')}.`);
for (const parser of all) {
  if (only && parser.name !== only) continue;
  const tally = await fuzz(parser, Number(cases), Number(seed));
  console.log(JSON.stringify(tally));
  if (!isSound(tally)) process.exitCode = 1;
}
