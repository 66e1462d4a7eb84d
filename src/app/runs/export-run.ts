/** A kept run for another engine, made in the worker that has the imported data sets. */
import type { DatasetService } from '../../../workers/dataset-protocol';
import type { Engine } from '../../export/mapping';
import type { RunConfig } from '../../run/config';
import { ask, openWorker } from '../session/worker-port';

/** @throws MarbleError those of `exportFromPage`; `store/no-dataset` for data that is not in this browser */
export async function exportInWorker(config: RunConfig, to: Engine): Promise<Blob> {
  const port = openWorker<DatasetService>('datasets', 'Try again; the run is kept as it was.');
  try {
    return await ask(port, (service) => service.exportZip(config, to, document.baseURI));
  } finally {
    port.close();
  }
}
