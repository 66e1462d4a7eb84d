/**
 * `npm run bench`: measures this machine's adapter (adapter.ts); `npm run bench -- kernels`: GPU time of each kernel
 * (kernels.ts); `npm run bench -- real`: steps of real models (real/index.ts).
 */
import { compileKernels } from '../scripts/build/kernels';
import '../tests/fixtures/webgpu/restart';

const programs = {
  kernels: () => import('./kernels'),
  real: () => import('./real/index'),
};
const [, , name = '--'] = process.argv;
if (!name.startsWith('-') && !(name in programs)) throw new Error(`There is no benchmark ${name}.`);
compileKernels();
await (programs[name as keyof typeof programs] ?? (() => import('./adapter')))();
