/**
 * `npm run bench`: measures this machine's adapter (adapter.ts); `npm run bench -- real`: steps of real models on its
 * CPU (real/index.ts); `npm run bench -- page`: times of the page in Chromium (page.ts).
 */
const programs = {
  kernels: () => import('./kernels'),
  real: () => import('./real/index'),
  page: () => import('./page'),
};
const [, , name = '--'] = process.argv;
if (!name.startsWith('-') && !(name in programs)) throw new Error(`There is no benchmark ${name}.`);
await (programs[name as keyof typeof programs] ?? (() => import('./adapter')))();
export {};
