/** The state of a pretraining in one file: a line of JSON, then parameters and moments as little-endian f32. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Policy } from '../../src/model/policy';
import type { PretrainingDone } from '../../src/rl/supervised/pretraining';

interface Header extends PretrainingDone {
  updates: number;
  /** The recipe of the run; another recipe must not resume it. */
  recipe: string;
}

/** Replaces the file atomically, so that an interruption leaves either the old or the new file. */
export async function saveState(
  path: string,
  policy: Policy,
  header: Omit<Header, 'updates'>,
): Promise<void> {
  const { parameters, moment1, moment2, updates } = await policy.state();
  const line = Buffer.from(`${JSON.stringify({ ...header, updates })}\n`);
  const arrays = [parameters, moment1, moment2].map((values) => Buffer.from(values.slice().buffer));
  writeFileSync(`${path}.new`, Buffer.concat([line, ...arrays]));
  renameSync(`${path}.new`, path);
}

/** Restores the state into the policy; null if there is no file. */
export async function restoreState(
  path: string,
  policy: Policy,
  recipe: string,
): Promise<PretrainingDone | null> {
  if (!existsSync(path)) return null;
  const bytes = readFileSync(path);
  const end = bytes.indexOf('\n') + 1;
  const header = JSON.parse(bytes.subarray(0, end).toString()) as Header;
  if (header.recipe !== recipe)
    throw new Error(`${path} belongs to another run: ${header.recipe}. Remove it.`);
  const values = new Float32Array(new Uint8Array(bytes.subarray(end)).buffer);
  const size = values.length / 3;
  const [parameters, moment1, moment2] = [0, 1, 2].map((i) => values.slice(i * size, (i + 1) * size));
  policy.restore({ ...(await policy.state()), parameters, moment1, moment2, updates: header.updates });
  return { steps: header.steps, tokens: header.tokens };
}
