/** A helper thread of the wasm backend that ends when a test wants it. */
import { openEngine, type Engine } from '../../../src/gpu/engine';
import type { Helper } from '../../../src/gpu/threads/pool';
import { startNodeHelper } from '../../../src/gpu/threads/start-helper';

/** An engine of two threads, and what ends the second one. */
export async function openWithHelper(): Promise<{ engine: Engine; endHelper: () => Promise<void> }> {
  const helpers: Helper[] = [];
  let report = (): void => undefined;
  const engine = await openEngine({
    backend: 'wasm',
    threads: 2,
    startHelper: async (data) => {
      const helper = await startNodeHelper(data);
      helpers.push(helper);
      return {
        terminate: () => helper.terminate(),
        onEnd: (told) => {
          report = told;
          helper.onEnd(told);
        },
      };
    },
  });
  const endHelper = async (): Promise<void> => {
    const ended = new Promise<void>((resolve) => helpers[0].onEnd(resolve));
    helpers[0].terminate();
    await ended;
    report();
  };
  return { engine, endHelper };
}
