/** Loads the reward of `--reward`: the default export of a module, which runs only after the user agreed. */
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MarbleError } from '../base/error';
import type { CustomReward } from '../reward/custom';
import { rewardName } from '../run/config/custom-reward';

/**
 * Loads a reward function from a module.
 *
 * @param mayRun - shows the code's path and asks. Code has all rights of this command, so `--yes`, which agrees to
 * downloads, is not enough.
 * @returns the function, named after the file
 * @throws MarbleError `command/no-reward`, `command/not-agreed`
 */
export async function loadReward(
  file: string,
  mayRun: (what: string) => Promise<boolean>,
): Promise<CustomReward> {
  const path = resolve(file);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw noReward(`There is no file ${path}.`);
  }
  if (!(await mayRun(`The code in ${path} would run with all rights of this command.`))) {
    throw new MarbleError(
      'command/not-agreed',
      `Not run: ${path}.`,
      'Read the file, then answer y at the prompt, or add --run-reward.',
    );
  }
  const module = (await import(/* @vite-ignore */ pathToFileURL(path).href).catch((thrown: unknown) => {
    throw noReward(`${path} cannot be loaded: ${String(thrown)}`);
  })) as { default?: unknown };
  const { default: reward } = module;
  if (typeof reward !== 'function') throw noReward(`${path} has no function as its default export.`);
  const named: CustomReward = (...given) => (reward as CustomReward)(...given);
  return Object.defineProperty(named, 'name', { value: rewardName(basename(path)) });
}

function noReward(message: string): MarbleError {
  return new MarbleError(
    'command/no-reward',
    message,
    'Name a module with: export default (completion, item, scored) => a number.',
  );
}
