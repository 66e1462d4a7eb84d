/** "Check this computer": a short piece of each preset's work on every backend there is, with random weights. */
import { toErrorReport } from '../../src/base/error';
import { nameAdapter, probeAdapter } from '../../src/gpu/capabilities';
import type { BackendName, EngineOptions } from '../../src/gpu/engine';
import { parseModelConfig, type ModelConfig } from '../../src/model/config';
import { halfBillionConfig } from '../../src/model/device/half-billion';
import type * as timing from '../../src/model/device/time-shape';
import { presets } from '../../src/run/config/presets';
import { stepShapeOf } from '../../src/run/config/step-shape';
import { batchOf } from '../../src/run/config/memory-settings';
import { presetCosts, presetShapes, type ShapeOf } from './preset-shapes';
import type { CheckProgress, ComputerCheck, PresetTime } from '../protocol';

/** Of a large model, which is scaled up to the whole. */
const PIECE: ModelConfig = { ...parseModelConfig(halfBillionConfig(2)), vocabularySize: 8192 };

/** One timing, which serves all presets of the same shape. */
interface Piece {
  backend: BackendName;
  presets: string[];
  time: (options: EngineOptions) => Promise<timing.CompletionTime>;
}

/** Every preset of a small model on every backend; a large one would take days on wasm, and is not timed there. */
function piecesOf(shapeOf: ShapeOf, backends: readonly BackendName[], time: Timers): Piece[] {
  return backends.flatMap((backend) => {
    const pieces = new Map<string, Piece>();
    for (const [preset, config] of Object.entries(presets)) {
      const shape = shapeOf(config.model);
      const isSmall = config.model.kind === 'embedded';
      const { rank, ...batch } = batchOf(config);
      if (!isSmall && (backend !== 'webgpu' || rank === null)) continue;
      const key = isSmall ? JSON.stringify(shape) : preset;
      const piece = pieces.get(key) ?? {
        backend,
        presets: [],
        time: (options) =>
          isSmall
            ? time.timeSmallModel(backend, shape, stepShapeOf(config), options)
            : time.timeLargeModel(
                backend,
                { whole: shape, piece: PIECE },
                { ...batch, rank: rank! },
                options,
              ),
      };
      piece.presets.push(preset);
      pieces.set(key, piece);
    }
    return [...pieces.values()];
  });
}

type Timers = Pick<typeof timing, 'timeSmallModel' | 'timeLargeModel'>;

/**
 * @param onProgress - told before each piece; the check ends where it answers that it is not to go on
 * @returns what was timed until then
 */
export async function checkComputer(
  base: string,
  options: EngineOptions,
  onProgress: (progress: CheckProgress) => Promise<boolean> | boolean,
): Promise<ComputerCheck> {
  const adapter = await probeAdapter();
  const shapeOf = await presetShapes(base);
  const timers = await import('../../src/model/device/time-shape');
  const pieces = piecesOf(shapeOf, adapter === null ? ['wasm'] : ['wasm', 'webgpu'], timers);
  const times: PresetTime[] = [];
  for (const [done, piece] of pieces.entries()) {
    const { backend, presets: names } = piece;
    if (!(await onProgress({ done, total: pieces.length, preset: names[0], backend }))) break;
    const measured = await piece
      .time(options)
      .catch((thrown: unknown) => ({ trained: 0, answered: 0, error: toErrorReport(thrown) }));
    for (const preset of names) times.push({ preset, backend, error: null, ...measured });
  }
  return {
    checkedAt: Date.now(),
    adapter: adapter === null ? null : nameAdapter(adapter.info),
    costs: presetCosts(shapeOf),
    times,
  };
}
