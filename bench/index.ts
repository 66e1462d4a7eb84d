/**
 * `npm run bench -- [suite ...] [--in node|chromium] [--quick]`: prints one JSON line per figure, with the adapter's name and
 * the place: Node first, then Chromium. All suites but `plan` and `held` run when none is named.
 *
 *   products  matrix products, and what the adapter copies and multiplies at best
 *   steps     whole sampling and training steps of a small model;   wasm: the same on wasm
 *   run       the first steps of the default run
 *   plan      the commands of a training pass of the 0.5B shape, recorded and not sent
 *   held      a step of the 0.5B shape, taken, and what it holds at most against the memory plan
 *
 * `npm run bench -- card [--out folder]` writes what a machine does to one JSON file instead, and `npm run bench -- pipelines`
 * counts what a run has compiled (docs/benchmarks.md).
 *
 * `MARBLE_ADAPTER=software` takes the software adapter on any machine.
 */
import '../tests/fixtures/webgpu/node-webgpu';
import { parseArgs } from 'node:util';
import { benchCard } from './card';
import { runInChromium } from './page/chromium';
import type { Place } from './measure';
import { benchPipelines } from './pipelines';
import { modelFiles } from '../scripts/pretrain/model-files';
import { runSuites, suites, usualSuites, type Suite } from './suites';

const node: Place = {
  name: 'node',
  cpuMs: () => {
    const { user, system } = process.cpuUsage();
    return Promise.resolve((user + system) / 1000);
  },
  model: async (folder) => ({ files: await modelFiles(folder) }),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    in: { type: 'string' },
    out: { type: 'string', default: 'docs/benchmarks' },
    quick: { type: 'boolean', default: false },
  },
});
if (positionals.includes('pipelines')) {
  await benchPipelines({ place: node, quick: values.quick });
  process.exit(0);
}
if (positionals.includes('card')) {
  await benchCard({ place: node, quick: values.quick }, values.out);
  process.exit(0);
}
const unknown = positionals.filter((name) => !suites.includes(name as Suite));
if (unknown.length > 0)
  throw new Error(`There is no suite ${unknown.join(', ')}: choose from ${suites.join(', ')}.`);
const wanted = positionals.length > 0 ? (positionals as Suite[]) : usualSuites;
const { in: only, quick } = values;
if (only !== 'chromium') await runSuites({ place: node, quick }, wanted);
if (only !== 'node') await runInChromium(wanted, quick);
process.exit(0);
