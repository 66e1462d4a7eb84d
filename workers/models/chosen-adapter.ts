/** Reads an adapter that the visitor chose: PEFT's two files, their folder, or a zip of them. */
import { parseAdapterConfig } from '../../src/model/files/adapter-config';
import { unzipFiles } from '../../src/model/files/model-zip';
import { openSource } from '../../src/model/source/source';

export interface ChosenAdapter {
  files: Record<string, Blob>;
  rank: number;
  alpha: number;
}

/** @throws MarbleError `model/zip`, `model/file-missing`, `model/adapter-config` */
export async function chosenAdapter(chosen: Record<string, Blob>): Promise<ChosenAdapter> {
  const [[name, first], ...others] = Object.entries(chosen);
  const files = others.length === 0 && name.endsWith('.zip') ? await unzipFiles(first) : chosen;
  const source = await openSource({ files });
  const { rank, alpha } = parseAdapterConfig(await source.json('adapter_config.json'));
  await source.bytes('adapter_model.safetensors');
  return { files, rank, alpha };
}
