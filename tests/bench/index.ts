/**
 * `npm run bench -- [run] [products] [tiles] [steps] [wasm]`: prints one JSON line per figure, with the adapter's name. All
 * but `tiles` run when none is named. `MARBLE_ADAPTER=software` takes the software adapter on any machine.
 */
import '../fixtures/node-webgpu';
import { openEngine } from '../../src/gpu/engine';
import { benchProducts, benchTiles, openRival } from './products';
import { benchRun } from './run';
import { benchSteps } from './steps';

const named = process.argv.slice(2);
const wanted = (suite: string): boolean => named.includes(suite) || (named.length === 0 && suite !== 'tiles');

if (['products', 'tiles', 'steps', 'run'].some(wanted)) {
  const engine = await openEngine({ backend: 'webgpu' });
  const adapter = engine.capabilities!.adapterName;
  if (wanted('tiles')) await benchTiles(engine, adapter);
  if (wanted('run')) await benchRun(engine, adapter);
  if (wanted('steps')) await benchSteps(engine, adapter, true);
  if (wanted('products')) {
    await openRival();
    await benchProducts(engine, adapter);
  }
  engine.dispose();
}
if (wanted('wasm') || wanted('run')) {
  const engine = await openEngine({ backend: 'wasm' });
  if (wanted('run')) await benchRun(engine, 'wasm');
  if (wanted('wasm')) await benchSteps(engine, 'wasm', false);
  engine.dispose();
}
process.exit(0);
