/** A run from a file, whoever wrote it. */
import { importRun, type RunFile } from '../share/run-file';
import { importLog } from './foreign-log';

/** How Marble's own files begin. */
const own = 'marble-run ';

/** @throws MarbleError those of `importRun` and `importLog` */
export async function openRun(file: Blob): Promise<RunFile> {
  const begins = await file.slice(0, own.length).text();
  const isOwn = begins === own || (file instanceof File && file.name.endsWith('.marble'));
  return isOwn ? importRun(file) : importLog(file);
}
