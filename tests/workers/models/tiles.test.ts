import { describe, expect, it } from 'vitest';
import type { Engine, Policy, RunConfig, TileChoices } from '../../../src/index';
import type { TuneOptions } from '../../../src/model/device/tune-model';
import type { TileStore } from '../../../src/store/store';
import type { ChosenBackend } from '../../../workers/protocol';
import { tilesFor } from '../../../workers/models/tiles';

const engine = { capabilities: { adapterName: 'a card' } } as Engine;
const policy = { config: {} } as Policy;
const config = {
  model: { kind: 'hub', repository: 'owner/name', revision: 'main' },
  training: { mode: 'lora' },
  rollout: { promptsPerStep: 8, samplesPerPrompt: 4 },
} as RunConfig;
const before: ChosenBackend = { backend: 'webgpu', reason: '', adapter: 'a card' };
const timed: TileChoices = { 'nt bf16 32x20x12': 'few-rows' };

/** What was asked of the timing, and what the store holds at the end. */
async function chosen(
  run: RunConfig,
  begunOn: ChosenBackend | null,
  kept: Record<string, TileChoices> = {},
  sent?: string,
): Promise<{ tiles: TileChoices | null; asked: TuneOptions[]; kept: Record<string, TileChoices> }> {
  const asked: TuneOptions[] = [];
  const tuneModel = (_engine: Engine, _config: unknown, options: TuneOptions): Promise<TileChoices> => {
    asked.push(options);
    return Promise.resolve(options.budgetMs === 0 ? { ...options.known } : { ...options.known, ...timed });
  };
  const store: TileStore = {
    loadTiles: (adapter) => Promise.resolve(kept[adapter] ?? null),
    putTiles: (adapter, tiles) => Promise.resolve(void (kept[adapter] = tiles)),
  };
  const library = { tuneModel, modelTileCode: () => '7' };
  const opened = () => Promise.resolve(store);
  const found = await tilesFor(library, engine, policy, run, begunOn, sent, opened);
  if (found !== null) expect(found.tileCode).toBe('7');
  return { tiles: found?.tiles ?? null, asked, kept };
}

describe('the tiles of a run', () => {
  it('are timed for a new run of a model from elsewhere, and remembered under the name of the adapter', async () => {
    const { tiles, asked, kept } = await chosen(config, null);
    expect(tiles).toEqual(timed);
    expect(asked).toEqual([{ weights: 'bf16', decodeRows: 32, trainRows: 512, known: {} }]);
    expect(kept).toEqual({ 'a card': timed });
  });

  it('are timed for the arithmetic of the run', async () => {
    const training = { mode: 'lora', rank: 16, alpha: 32, arithmetic: 'f16' } as const;
    const { asked } = await chosen({ ...config, training }, null);
    expect(asked[0].arithmetic).toBe('f16');
  });

  it('are those remembered, where there are any', async () => {
    const remembered: TileChoices = { 'nt bf16 16x20x12': 'few-rows' };
    const { tiles, asked } = await chosen(config, null, { 'a card': remembered });
    expect(asked[0].known).toEqual(remembered);
    expect(tiles).toEqual({ ...remembered, ...timed });
  });

  it('are those that the run was begun with, whatever was remembered since', async () => {
    const begun: TileChoices = {
      'nt bf16 32x20x12': { kind: 'register', rows: 4, columns: 4, across: 8, down: 8 },
    };
    const { tiles, asked } = await chosen(config, { ...before, tiles: begun }, { 'a card': timed });
    expect(tiles).toEqual(begun);
    expect(asked[0].budgetMs).toBe(0);
    expect((await chosen(config, before)).asked).toEqual([]); // begun without any: goes on without any
  });

  it('are those of the link that it is made after, and nothing is timed or remembered', async () => {
    const { asked, kept } = await chosen(config, null, { 'a card': timed }, '3-7');
    expect(asked).toEqual([{ weights: 'bf16', decodeRows: 32, trainRows: 512, code: '3-7' }]);
    expect(kept).toEqual({ 'a card': timed });
    const begun = await chosen(config, { ...before, tiles: timed }, {}, '3-7');
    expect(begun.asked[0]).toMatchObject({ known: timed, budgetMs: 0 });
  });

  it('are not timed for an embedded model, whose steps are shorter than the timing', async () => {
    const embedded = { ...config, model: { kind: 'embedded', name: 'ladder-25k' } } as RunConfig;
    expect(await chosen(embedded, null)).toEqual({ tiles: null, asked: [], kept: {} });
  });

  it('are timed all the same where nothing can be stored', async () => {
    const tuneModel = () => Promise.resolve(timed);
    const broken = () => Promise.reject(new Error('no storage'));
    const library = { tuneModel, modelTileCode: () => '7' };
    expect(await tilesFor(library, engine, policy, config, null, undefined, broken)).toEqual({
      tiles: timed,
      tileCode: '7',
    });
  });
});
