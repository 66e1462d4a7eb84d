/**
 * Marble's WGSL kernels, recorded between tfjs's commands on the same device.
 *
 * A kernel consists of its body. Its declarations are generated from its lists of bindings and uniforms, so the two
 * always agree. Compile-time values (tile sizes, formats) are part of the text. `memoize` makes one kernel object
 * per variant, and the object is the key of its pipeline. Options of a run (a bias, noise) are uniforms rather than
 * variants wherever a branch is free, since the browser takes time to compile each pipeline. A kernel may have
 * several outputs and may write to existing tensors, which tfjs's program interface does not support.
 */
import * as tf from '@tensorflow/tfjs-core';
import { MarbleError } from '../base/error';
import type { BufferRange, MarbleWebGPUBackend } from './webgpu/backend';

/** WGSL element type of a storage binding, declared as a runtime-sized array. */
export type Element = 'f32' | 'u32' | 'i32' | 'vec4<f32>' | 'vec4<u32>' | 'vec2<f32>' | 'vec2<u32>';

export interface KernelSource {
  /** Shown in error messages and GPU traces. */
  name: string;
  inputs: Record<string, Element>;
  /** Readable and writable in the kernel. */
  outputs: Record<string, Element>;
  /** Fields of `uniforms`, in order. */
  uniforms: Record<string, 'u32' | 'f32'>;
  workgroupSize: readonly [number, number, number];
  /** Functions and module-scope variables. */
  declarations?: string;
  /**
   * Body of the entry point. In scope: `local` and `group` (vec3<u32>: invocation in the workgroup, and workgroup),
   * `lane` (u32: flat index in the workgroup), `folded` (u32: index of the workgroup in a grid of `foldedWorkgroups`).
   */
  body: string;
}

export interface Kernel {
  readonly source: KernelSource;
  readonly code: string;
}

/** Kernels by text. Variants with the same text share one kernel and are compiled once. */
const defined = new Map<string, Kernel>();

export function defineKernel(source: KernelSource): Kernel {
  const bindings = [
    ...Object.entries(source.inputs).map(([name, element]) => ({ name, element, access: 'read' })),
    ...Object.entries(source.outputs).map(([name, element]) => ({ name, element, access: 'read_write' })),
  ].map(
    ({ name, element, access }, index) =>
      `@group(0) @binding(${index + 1}) var<storage, ${access}> ${name}: array<${element}>;`,
  );
  const fields = Object.entries(source.uniforms).map(([name, type]) => `  ${name}: ${type},`);
  const code = [
    `struct Uniforms {\n${fields.join('\n')}\n}`,
    '@group(0) @binding(0) var<uniform> uniforms: Uniforms;',
    ...bindings,
    source.declarations ?? '',
    `@compute @workgroup_size(${source.workgroupSize.join(', ')})`,
    'fn main(@builtin(local_invocation_id) local: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>,',
    '    @builtin(local_invocation_index) lane: u32, @builtin(num_workgroups) groups: vec3<u32>) {',
    'let folded = group.y * groups.x + group.x;',
    source.body,
    '}',
  ].join('\n');
  const kernel = defined.get(code) ?? { source, code };
  defined.set(code, kernel);
  return kernel;
}

/** A kernel with one invocation per element, for `runElements`. In the body `i` is the element's index. */
export const elementKernel = (source: Omit<KernelSource, 'workgroupSize'>): Kernel =>
  defineKernel({
    ...source,
    uniforms: { size: 'u32', ...source.uniforms },
    workgroupSize: [64, 1, 1],
    body: `
      let i = folded * 64u + lane;
      if (i >= uniforms.size) { return; }
      ${source.body}`,
  });

/** Makes each variant of a kernel once. `Variant` holds all compile-time values of `make` as plain data. */
export function memoize<Variant>(make: (variant: Variant) => Kernel): (variant: Variant) => Kernel {
  const made = new Map<string, Kernel>();
  return (variant) => {
    const key = JSON.stringify(variant);
    let kernel = made.get(key);
    if (!kernel) made.set(key, (kernel = make(variant)));
    return kernel;
  };
}

export interface KernelRun {
  /** Inputs by name. Null for one that the kernel does not read under these uniforms. */
  inputs: Record<string, tf.TensorInfo | BufferRange | null>;
  /** Outputs by name. Existing tensors are written in place. */
  outputs: Record<string, tf.TensorInfo | BufferRange>;
  uniforms: Record<string, number>;
  /** Number of workgroups along x, y, z. If one is 0, nothing runs. */
  workgroups: readonly [number, number, number];
  /** Multiplications and additions. Needed if they may occupy a slow device for long. */
  flops?: number;
}

interface Compiled {
  /** Null while `compileLater` compiles it. */
  pipeline: GPUComputePipeline | null;
  layout: GPUBindGroupLayout;
}

const compiledFor = new WeakMap<GPUDevice, WeakMap<Kernel, Compiled>>();

/**
 * Records one run of a kernel. Errors of the GPU surface at the next readback or `Engine.check`.
 *
 * @throws MarbleError `gpu/too-many-workgroups` when a dimension exceeds the device's limit, `gpu/kernel-too-large`
 */
export function runKernel(kernel: Kernel, run: KernelRun): void {
  if (run.workgroups.includes(0)) return;
  const backend = webgpuBackend();
  const limit = backend.device.limits.maxComputeWorkgroupsPerDimension;
  if (run.workgroups.some((count) => count > limit)) {
    throw new MarbleError(
      'gpu/too-many-workgroups',
      `${kernel.source.name} wants ${run.workgroups.join(' x ')} workgroups; this GPU allows ${limit} along each axis.`,
      'Use shorter sequences or fewer rows at once.',
    );
  }
  if (backend.compilesOnly) {
    compileLater(backend, kernel);
    return;
  }
  const { inputs, outputs, uniforms } = kernel.source;
  const { pipeline, layout } = compile(backend.device, kernel);
  const buffers = [
    ...Object.keys(inputs).map((name) => run.inputs[name]),
    ...Object.keys(outputs).map((name) => run.outputs[name]),
  ];
  backend.dispatch(
    pipeline,
    layout,
    buffers,
    packUniforms(uniforms, run.uniforms),
    run.workgroups,
    run.flops,
  );
}

/** Records one run of an `elementKernel` over `size` elements. */
export const runElements = (
  kernel: Kernel,
  size: number,
  { uniforms, ...buffers }: Pick<KernelRun, 'inputs' | 'outputs' | 'uniforms'>,
): void =>
  runKernel(kernel, {
    ...buffers,
    uniforms: { size, ...uniforms },
    workgroups: foldedWorkgroups(Math.ceil(size / 64)),
  });

function kernelsOf(device: GPUDevice): WeakMap<Kernel, Compiled> {
  let kernels = compiledFor.get(device);
  if (!kernels) compiledFor.set(device, (kernels = new WeakMap<Kernel, Compiled>()));
  return kernels;
}

function compile(
  device: GPUDevice,
  kernel: Kernel,
): { pipeline: GPUComputePipeline; layout: GPUBindGroupLayout } {
  const kernels = kernelsOf(device);
  const known = kernels.get(kernel);
  if (known?.pipeline) return { pipeline: known.pipeline, layout: known.layout };
  const { layout, descriptor } = describePipeline(device, kernel);
  const compiled = { pipeline: device.createComputePipeline(descriptor), layout };
  kernels.set(kernel, compiled);
  return compiled;
}

/** Compiles asynchronously. On failure the first dispatch recompiles and reports the error. */
function compileLater(backend: MarbleWebGPUBackend, kernel: Kernel): void {
  const { device } = backend;
  const kernels = kernelsOf(device);
  if (kernels.has(kernel)) return;
  const { layout, descriptor } = describePipeline(device, kernel);
  kernels.set(kernel, { pipeline: null, layout });
  backend.compileLater(
    device.createComputePipelineAsync(descriptor).then(
      (pipeline) => void kernels.set(kernel, { pipeline, layout }),
      () => void kernels.delete(kernel),
    ),
  );
}

function describePipeline(
  device: GPUDevice,
  kernel: Kernel,
): { layout: GPUBindGroupLayout; descriptor: GPUComputePipelineDescriptor } {
  const { name, inputs, outputs } = kernel.source;
  const storage = [
    ...Object.keys(inputs).map((): GPUBufferBindingType => 'read-only-storage'),
    ...Object.keys(outputs).map((): GPUBufferBindingType => 'storage'),
  ];
  expectFits(device.limits, kernel.source, storage.length);
  const visibility = GPUShaderStage.COMPUTE;
  const layout = device.createBindGroupLayout({
    label: name,
    entries: [
      { binding: 0, visibility, buffer: { type: 'uniform', hasDynamicOffset: true } },
      ...storage.map((type, index) => ({ binding: index + 1, visibility, buffer: { type } })),
    ],
  });
  const descriptor = {
    label: name,
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute: { module: device.createShaderModule({ label: name, code: kernel.code }), entryPoint: 'main' },
  };
  return { layout, descriptor };
}

/**
 * Checks the kernel against the device's limits, except workgroup memory, which ops/matmul/tiles.ts respects.
 *
 * @throws MarbleError `gpu/kernel-too-large`
 */
function expectFits(
  limits: GPUSupportedLimits,
  { name, workgroupSize }: KernelSource,
  buffers: number,
): void {
  const invocations = workgroupSize[0] * workgroupSize[1] * workgroupSize[2];
  const [asked, allowed, what] =
    buffers > limits.maxStorageBuffersPerShaderStage
      ? [buffers, limits.maxStorageBuffersPerShaderStage, 'buffers']
      : [invocations, limits.maxComputeInvocationsPerWorkgroup, 'invocations in a workgroup'];
  if (asked <= allowed) return;
  throw new MarbleError(
    'gpu/kernel-too-large',
    `The kernel "${name}" takes ${asked} ${what}; this GPU allows ${allowed}.`,
    'Choose the wasm backend, or a model without norms of its heads (Qwen2 or Llama instead of Qwen3).',
  );
}

function packUniforms(fields: KernelSource['uniforms'], values: Record<string, number>): ArrayBuffer {
  const names = Object.keys(fields);
  const bytes = new ArrayBuffer(names.length * 4);
  const view = new DataView(bytes);
  names.forEach((name, index) => {
    if (fields[name] === 'f32') view.setFloat32(index * 4, values[name], true);
    else view.setUint32(index * 4, values[name], true);
  });
  return bytes;
}

/** The current backend, which must be WebGPU. tfjs's type covers only the common interface. */
export const webgpuBackend = (): MarbleWebGPUBackend => tf.backend() as unknown as MarbleWebGPUBackend;

/** An uninitialized tensor. A kernel must write every element. */
export function emptyTensor<R extends tf.Rank>(
  shape: tf.ShapeMap[R],
  dtype: 'float32' | 'int32' = 'float32',
): tf.Tensor<R> {
  const backend = webgpuBackend();
  const info = backend.makeTensorInfo(shape, dtype);
  backend.uploadToGPU(info.dataId); // allocates a buffer: there are no values to upload
  return tf.engine().makeTensorFromTensorInfo(info) as tf.Tensor<R>;
}

/** Grid of `count` independent workgroups along x, folded into y beyond the limit of 65,535. */
export function foldedWorkgroups(count: number): readonly [number, number, number] {
  if (count <= 65535) return [count, 1, 1];
  const y = Math.ceil(count / 65535);
  return [Math.ceil(count / y), y, 1];
}

/** Reports that `compiled` of `total` kernels are ready. */
export type CompileProgress = (compiled: number, total: number) => Promise<void>;

/**
 * Compiles every kernel that `work` uses on the open WebGPU backend, before it is needed. WebGPU compiles a pipeline at
 * its first use, which one after another takes minutes with some drivers. Nothing runs: new tensors are uninitialized and
 * readbacks return zeros, so `work` must discard its results.
 *
 * @returns number of compiled kernels
 */
export async function compileAhead(
  work: () => Promise<unknown>,
  onProgress: CompileProgress,
): Promise<number> {
  const backend = webgpuBackend();
  let pipelines: Promise<void>[] = [];
  backend.beginCompiling();
  try {
    await work();
  } finally {
    pipelines = backend.endCompiling();
  }
  const total = pipelines.length;
  let compiled = 0;
  for (const pipeline of pipelines) void pipeline.then(() => compiled++);
  let told = 0;
  if (total > 0) await onProgress(0, total);
  for (const pipeline of pipelines) {
    await pipeline;
    if (compiled === told) continue;
    told = compiled;
    await onProgress(told, total);
  }
  return total;
}
