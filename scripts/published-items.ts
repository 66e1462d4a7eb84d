/** The published Hi-ToM items that a model of short stories can read. Their files are others' and are never part of the project. */
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { withWorld } from '../src/tom/derive';
import { isShort } from '../src/tom/hitom';
import { importDataset } from '../src/tom/import/import-dataset';
import type { Item } from '../src/tom/item';
import { compactPrompt } from '../src/tom/prompts';

/**
 * One-chapter stories with prompts of at most 140 words, from Hi-ToM's own file (JSON or JSONL) and from ToM-RL's, each
 * question of a story once, where `solve` agrees with the label.
 *
 * @throws Error where the files hold none
 */
export async function readPublishedItems(files: readonly string[]): Promise<Item[]> {
  const found = new Map<string, Item>();
  for (const file of files) {
    const { items } = await importDataset(await openAsBlob(file), { name: basename(file) });
    for (const item of items.filter(({ dataset }) => dataset === 'hitom').map(withWorld)) {
      if (item.world !== undefined && isShort(item)) found.set(compactPrompt(item), item);
    }
  }
  if (found.size === 0) {
    throw new Error(
      `No short Hi-ToM story is in ${files.join(', ') || 'no file'}. Name Hi-ToM's own file or ToM-RL's training file, with commas between.`,
    );
  }
  return [...found.values()];
}
