/**
 * `npm run bench`: measures this machine's adapter (adapter.ts); `npm run bench -- real`: steps of real models on its
 * CPU (real/index.ts).
 */
await import(process.argv[2] === 'real' ? './real/index' : './adapter');
export {};
