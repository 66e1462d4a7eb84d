/** Chooses the backend of a run: the requested one, the original one, or the default for its model. */
import { MarbleError } from '../../src/base/error';
import type { BackendChoice } from '../../src/index';
import type { RunConfig } from '../../src/run/config/config';
import { knownModelFiles } from '../../src/run/config/known-models';
import { adapterPlaceOf } from '../../src/run/config/saved-adapter';
import type { ModelSource, OpenOptions } from '../../src/model/source/source';
import type { StartHelper } from '../../src/gpu/threads/pool';
import type { BackendWish, ChosenBackend } from '../protocol';

/** Sources of models other than the network. */
export interface ModelPlaces {
  /** URLs of the page's folder and of tfjs's wasm file. */
  base: string;
  wasmUrl: string;
  /** Starts a helper thread of wasm. */
  startHelper?: StartHelper;
  /** Number of wasm threads of a run. */
  threads: number;
  /** Files that the visitor chose in this page, by name; null if none. */
  ownFiles: Record<string, Blob> | null;
}

/** @throws MarbleError `app/choose-files` if the run's model consists of files that are not chosen here */
export function modelSource(
  { model }: RunConfig,
  { base, ownFiles }: Pick<ModelPlaces, 'base' | 'ownFiles'>,
): ModelSource {
  switch (model.kind) {
    case 'embedded':
      return { url: new URL(`models/${model.name}/`, base).href };
    case 'hub':
      return { hub: model.repository, revision: model.revision };
    case 'files':
      if (ownFiles !== null) return { files: ownFiles };
      throw new MarbleError(
        'app/choose-files',
        `This run’s model comes from files of this or another computer, “${model.name}”. No page keeps them.`,
        'Choose them again.',
      );
  }
}

/** Source of the model files that a plan reads. For models of presets they are known without a request. */
export function plannedSource(config: RunConfig, places: ModelPlaces): ModelSource {
  return knownModelFiles(config.model) ?? modelSource(config, places);
}

/**
 * Returns the source of the adapter that a run starts from; undefined for a new one.
 *
 * @throws MarbleError `app/adapter-files` if it consists of files, which only the command reads
 */
export function adapterSource(
  config: RunConfig,
  { base }: Pick<ModelPlaces, 'base'>,
): ModelSource | undefined {
  const place = adapterPlaceOf(config);
  switch (place?.kind) {
    case undefined:
      return undefined;
    case 'hub':
      return { hub: place.repository, revision: place.revision };
    case 'ships':
      return { url: new URL(`adapters/${place.name}/`, base).href };
    case 'files':
      throw new MarbleError(
        'app/adapter-files',
        `This run starts from an adapter of files, “${place.name}”, which this page does not read.`,
        'Train it with the command: npx marble-rl train with the link or the saved file of the run, and --adapter. For a run here, delete the adapter under All settings.',
      );
  }
}

/**
 * @param before - original backend of a resumed run: another backend would not reproduce the same rows
 * @throws MarbleError `gpu/no-webgpu` if the GPU was requested and there is none
 */
export async function backendFor(
  config: RunConfig,
  wish: BackendWish,
  before: ChosenBackend | null,
  places: ModelPlaces,
  open: OpenOptions,
): Promise<BackendChoice> {
  const { probeAdapter, chooseBackend } = await import('../../src/index');
  const backend = wish === 'automatic' ? before?.backend : wish;
  if (backend === undefined) return chooseBackend(plannedSource(config, places), { open });
  if (backend === 'webgpu' && (await probeAdapter()) === null) {
    throw new MarbleError(
      'gpu/no-webgpu',
      before?.backend === 'webgpu'
        ? 'The run was begun on the GPU, and this browser offers no WebGPU adapter now.'
        : 'The GPU was asked for, and this browser offers no WebGPU adapter.',
      'Choose the CPU, or open this page in a browser with WebGPU.',
    );
  }
  if (wish === 'automatic')
    return { backend, reason: 'The run was begun on it, and goes on with the same numbers.' };
  const reason =
    before === null || before.backend === wish
      ? 'It was chosen for this run.'
      : `It was chosen; the steps before were made on ${before.backend}, whose sums are rounded otherwise.`;
  return { backend, reason };
}
