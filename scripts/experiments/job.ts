/**
 * One run of the plan, from its start to its last measurement, in a process of its own: `--id` names it, `--out` is the
 * file that gets its one JSON line.
 */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { openEngine, train, type Policy } from '../../src/index';
import { keepMetrics } from './kept-metrics';
import { look, measure, measureForecast, type Counts } from './measure';
import { runs, type RunPlan } from './plan';
import { isMade, makeStart, openStart } from './start';
import { withThinkShut } from './think-shut';

const LOOK_EVERY = 25;

export async function makeRun(plan: RunPlan): Promise<Record<string, unknown>> {
  const engine = await openEngine({ backend: 'wasm' });
  const pretraining = isMade(plan.start) ? null : await makeStart(engine, plan.start);
  const started = performance.now();
  const opened = await openStart(engine, plan.start);
  const policy: Policy = plan.thinkShut ? withThinkShut(opened) : opened;
  const { config } = plan;
  const forecast = plan.thinkShut ? null : await measureForecast(policy, config);
  const before = await measure(policy, config);
  const steps: Record<string, number[]> = {};
  const looks: { step: number; benchmark: Counts; otherWorld: Counts }[] = [];
  let trainingSeconds = 0;
  let since = performance.now();
  for await (const event of train(engine, policy, config)) {
    if (event.type === 'failed') throw new Error(`${event.error.code}: ${event.error.message}`);
    if (event.type !== 'step') continue;
    keepMetrics(steps, event.record);
    const { step } = event.record;
    if (step % LOOK_EVERY === 0 && step < config.steps) {
      trainingSeconds += (performance.now() - since) / 1000;
      looks.push({ step, ...(await look(policy, config)) });
      since = performance.now();
    }
  }
  trainingSeconds += (performance.now() - since) / 1000;
  const after = await measure(policy, config);
  opened.dispose();
  engine.dispose();
  return {
    id: plan.id,
    hypotheses: plan.hypotheses,
    start: plan.start,
    config,
    commit: execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim(),
    date: new Date().toISOString(),
    machine: { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, backend: 'wasm' },
    seconds: {
      pretraining: pretraining?.seconds ?? null,
      training: trainingSeconds,
      all: (performance.now() - started) / 1000,
    },
    pretraining: pretraining === null ? null : { tokens: pretraining.tokens, losses: pretraining.losses },
    forecast,
    before,
    looks,
    after,
    steps,
  };
}

const { values } = parseArgs({ options: { id: { type: 'string' }, out: { type: 'string' } } });
const plan = runs.find(({ id }) => id === values.id);
if (plan === undefined || values.out === undefined) throw new Error(`No run has the id ${values.id}.`);
await writeFile(values.out, `${JSON.stringify(await makeRun(plan))}\n`);
