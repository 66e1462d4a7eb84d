/**
 * The tiles of a run's matrix products: those it was begun with, those remembered of this adapter, or timed now. Only for
 * models from elsewhere: the timing takes up to three seconds, and a whole step of an embedded model takes less.
 */
import type * as library from '../../src/index';
import type { RunConfig } from '../../src/run/config/config';
import { tunedShapeOf } from '../../src/run/config/step-shape';
import type { TileStore } from '../../src/store/store';
import type { ChosenBackend } from '../protocol';

/**
 * @param before - what a run that goes on was begun on: other tiles would add in another order
 * @param sent - the tiles of a link's run, which this one is to repeat
 * @returns what is to stand in the run's record; null where all products take the choice by rule
 */
export async function tilesFor(
  { tuneModel, modelTileCode }: Pick<typeof library, 'tuneModel' | 'modelTileCode'>,
  engine: library.Engine,
  policy: Pick<library.Policy, 'config'>,
  config: Pick<RunConfig, 'model' | 'training' | 'rollout'>,
  before: ChosenBackend | null,
  sent: string | undefined,
  openedStore: () => Promise<TileStore>,
): Promise<Pick<ChosenBackend, 'tiles' | 'tileCode'> | null> {
  if (config.model.kind === 'embedded' || engine.capabilities === null) return null;
  if (before !== null && before.tiles === undefined) return null;
  const shape = tunedShapeOf(config);
  const tuned = async (options: Partial<Parameters<typeof tuneModel>[2]>) => {
    const tiles = await tuneModel(engine, policy.config, { ...shape, ...options });
    return { tiles, tileCode: modelTileCode(policy.config, shape, tiles) };
  };
  if (before !== null) return tuned({ known: before.tiles, budgetMs: 0 });
  if (sent !== undefined) return tuned({ code: sent });
  const { adapterName } = engine.capabilities;
  // Without storage they are timed again the next time: nothing that the visitor should hear of.
  const store = await openedStore().catch(() => null);
  const known = (await store?.loadTiles(adapterName).catch(() => null)) ?? {};
  const found = await tuned({ known });
  await store?.putTiles(adapterName, found.tiles).catch(() => undefined);
  return found;
}
