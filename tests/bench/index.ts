/**
 * `npm run bench -- [products] [tiles] [steps] [wasm]`: prints one JSON line per figure, with the adapter's name. All
 * but `tiles` run when none is named. `MARBLE_ADAPTER=software` takes the software adapter on any machine.
 */
import '../fixtures/node-webgpu';
import { openEngine } from '../../src/gpu/engine';
import { benchProducts, benchTiles, openRival } from './products';
import { benchSteps } from './steps';

const named = process.argv.slice(2);
const wanted = (suite: string): boolean => named.includes(suite) || (named.length === 0 && suite !== 'tiles');

if (wanted('products') || wanted('tiles') || wanted('steps')) {
  const engine = await openEngine({ backend: 'webgpu' });
  const adapter = engine.capabilities!.adapterName;
  if (wanted('tiles')) await benchTiles(engine, adapter);
  if (wanted('steps')) await benchSteps(engine, adapter, true);
  if (wanted('products')) {
    await openRival();
    await benchProducts(engine, adapter);
  }
  engine.dispose();
}
if (wanted('wasm')) {
  const engine = await openEngine({ backend: 'wasm' });
  await benchSteps(engine, 'wasm', false);
  engine.dispose();
}
process.exit(0);
