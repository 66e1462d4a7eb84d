/** The parts that the jobs of all studies share. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { StepRecord } from '../../src/index';

/** Makes the run that `--id` names and writes its line of JSON to the file `--out`. */
export async function writeLine<Plan extends { id: string }>(
  plans: readonly Plan[],
  make: (plan: Plan) => Promise<{ machine: object }>,
): Promise<void> {
  const { values } = parseArgs({ options: { id: { type: 'string' }, out: { type: 'string' } } });
  const plan = plans.find(({ id }) => id === values.id);
  if (plan === undefined || values.out === undefined) throw new Error(`No run has the id ${values.id}.`);
  const { machine, ...made } = await make(plan);
  const line = {
    ...plan,
    commit: execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim(),
    date: new Date().toISOString(),
    machine: { cpu: cpus()[0]?.model, node: process.version, ...machine },
    ...made,
  };
  writeFileSync(values.out, `${JSON.stringify(line)}\n`);
}

/** The values of these metrics at each step; absent metrics are left out. */
export function columnsOf(steps: readonly StepRecord[], names: readonly string[]): Record<string, number[]> {
  const known = names.filter((name) => steps.some((record) => name in record));
  const valueOf = (record: StepRecord, name: string): number => Number((record[name] ?? NaN).toPrecision(6));
  return Object.fromEntries(known.map((name) => [name, steps.map((record) => valueOf(record, name))]));
}
