/**
 * `npm run bench`: measures this machine's adapter (adapter.ts); `npm run bench -- real`: steps of real models on its
 * CPU (real/index.ts); `npm run bench -- page`: times of the page in Chromium (page.ts).
 */
const programs = {
  kernels: () => import('./kernels'),
  real: () => import('./real/index'),
  page: () => import('./page'),
};
await (programs[process.argv[2] as keyof typeof programs] ?? (() => import('./adapter')))();
export {};
