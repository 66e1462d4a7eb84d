/**
 * An engine that computes nothing: tensors have a size but no values, and kernels count their work. All code that
 * determines allocations and their order, from the policy to tfjs's tape, is the code of a real run.
 */
import * as tf from '@tensorflow/tfjs-core';
import '../recorded-tape';
import { probeAdapter } from '../capabilities';
import { noAdapter, wasmEngine, webgpuEngine, type Engine } from '../engine';
import { countAllocations, shareClones } from '../wasm-heap';
import { chooseImplementations, loadImplementations } from '../implementations';
import { useKernels, countingKernels, type Work } from '../wasm-kernels';
import { createDryDevice, type DryDevice } from './device';
import { createDryModule, noValues } from './heap';

export type DryBackend = 'wasm' | 'webgpu';

export interface DryEngine extends Omit<Engine, 'dispose'> {
  readonly work: Work;
  /** Bytes of the largest allocation and of the largest binding of a kernel. */
  largest: () => { allocated: number; bound: number };
  dispose(): Promise<void>;
}

/**
 * Replaces the open engine by a dry one. Until `dispose`, the previous engine and its tensors must not be used.
 *
 * @throws MarbleError `gpu/no-webgpu`, since the adapter's limits determine which kernels run
 */
export async function openDryEngine({ backend }: { backend: DryBackend }): Promise<DryEngine> {
  tf.enableProdMode();
  const work: Work = { flops: 0, calls: 0 };
  const opened = backend === 'wasm' ? await openDryHeap(work) : await openDryDevice(work);
  const leave = await takePlace(backend, opened.instance);
  const kind = backend === 'wasm' ? 'wasm' : 'wgsl';
  await loadImplementations(kind);
  const before = { kind: chooseImplementations(kind), kernels: useKernels(countingKernels(work)) };
  return {
    ...opened.engine,
    work,
    largest: opened.largest,
    async dispose() {
      useKernels(before.kernels);
      chooseImplementations(before.kind);
      await leave();
    },
  };
}

interface Opened {
  instance: tf.KernelBackend;
  engine: Omit<Engine, 'dispose'>;
  largest: DryEngine['largest'];
}

async function openDryHeap(work: Work): Promise<Opened> {
  const { BackendWasm } = await import('@tensorflow/tfjs-backend-wasm');
  shareClones();
  const module = createDryModule(work);
  const count = countAllocations(module);
  const instance = new BackendWasm(module as unknown as ConstructorParameters<typeof BackendWasm>[0]);
  instance.typedArrayFromHeap = () => noValues;
  return {
    instance,
    largest: () => ({ allocated: count.largest, bound: count.largest }),
    engine: wasmEngine(count, module.heapEnd),
  };
}

async function openDryDevice(work: Work): Promise<Opened> {
  const adapter = await probeAdapter();
  if (adapter === null) throw noAdapter();
  const { MarbleWebGPUBackend } = await import('../webgpu/backend');
  const dry: DryDevice = createDryDevice(adapter);
  const instance = new MarbleWebGPUBackend(dry.device, adapter.info);
  const dispatch = instance.dispatch.bind(instance);
  const runProgram = instance.runWebGPUProgram.bind(instance);
  instance.runWebGPUProgram = (...run) => {
    work.calls += 1;
    return runProgram(...run);
  };
  instance.dispatch = (...run) => {
    work.calls += 1;
    work.flops += run[5] ?? 0;
    dispatch(...run);
  };
  return {
    instance,
    largest: dry.largest,
    engine: webgpuEngine(instance, dry.device, adapter.info),
  };
}

/** Makes `instance` tfjs's backend of that name. @returns a function that restores the previous one */
async function takePlace(name: string, instance: tf.KernelBackend): Promise<() => Promise<void>> {
  const { registry, backendName } = tf.engine();
  const before = registry[name] as tf.KernelBackend | undefined;
  if (tf.findBackendFactory(name) == null) tf.registerBackend(name, () => instance);
  registry[name] = instance;
  await tf.setBackend(name);
  return async () => {
    if (before) registry[name] = before;
    else Reflect.deleteProperty(registry, name);
    if (backendName in registry) await tf.setBackend(backendName);
  };
}
