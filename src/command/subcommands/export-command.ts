/**
 * Exports a run for verl or TRL, as a folder or a zip. Prints the settings without a counterpart, which
 * `lost-fields.md` lists.
 */
import { exportFrom, zipExport } from '../../export/cluster/export-run';
import type { Engine } from '../../export/cluster/mapping';
import type { AskedRun } from '../asked-run';
import { writeInside, writeNamed } from '../files';
import { adapterSourceOf, importedItemsOf, modelSourceOf, type Places } from '../model-places';
import type { Terminal } from '../terminal';

export interface ExportRequest {
  asked: AskedRun;
  to: Engine;
  out: string;
  places: Places;
  terminal: Terminal;
}

/** Writes the export to a folder or a zip. @throws MarbleError those of the places and of `exportFrom` */
export async function exportTo({ asked, to, out, places, terminal }: ExportRequest): Promise<void> {
  const { config, page } = asked;
  const run = await exportFrom(config, {
    to,
    model: await modelSourceOf(config, places, page),
    adapter: await adapterSourceOf(config, places, page),
    imported: (await importedItemsOf(config, places)).imported,
  });
  if (out.endsWith('.zip')) await writeNamed(out, await zipExport(run));
  else for (const [name, bytes] of run.files) await writeInside(out, name, bytes);
  terminal.say(`${run.files.size} files for ${to} in ${out}`);
  terminal.say('lost (lost-fields.md):');
  for (const { what, instead } of run.lost) terminal.say(`  ${what}: ${instead}`);
}
