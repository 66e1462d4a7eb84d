/**
 * tfjs's WebGPU backend (4.22.0) on a device that Marble requests. It fixes these faults of tfjs where all commands
 * and readbacks pass:
 *
 * - Shader and validation errors were silent and left zeros. Each readback now closes the device's error scopes and
 *   throws their errors. A lost device throws too.
 * - `read` cached values on the CPU and returned them after the tensor was written in place. Nothing is cached now.
 * - The buffer pool never freed a buffer; see buffer-pool.ts.
 * - The buffer of a disposed tensor waited for the next submit before its reuse, although commands run in recorded
 *   order. It is free at once now, which keeps the peak of a long batch of commands low.
 *
 * Marble's kernels (kernel.ts) are recorded into the same compute pass as tfjs's. This requires a few private fields
 * of the class. They are listed in `Internals` and checked in the constructor, so a change of tfjs is detected.
 */
import * as tf from '@tensorflow/tfjs-core';
import { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import type { MarbleError } from '../../base/error';
import { BufferPool } from './buffer-pool';
import { describeDevice, type AdapterTraits } from '../capabilities';
import { requireKnownInternals, type Internals, type PoolInternals } from './known-internals';
import { DeviceFaults, deviceLost, outOfMemory } from './device-faults';
import { QueueWaits } from './queue-waits';

/** Limit on cached bind groups: several training passes of 30 layers. Each pass gets the buffers of the pass before. */
const KEPT_GROUPS = 16384;

/** Cache of bind groups. Creating the group is most of the cost of recording a command. */
class BindGroups {
  private readonly groups = new Map<string, GPUBindGroup>();
  /** IDs of layouts and buffers, from which the keys of `groups` are built. */
  private readonly numbers = new WeakMap<object, number>();
  private numbered = 0;

  /** @param uniforms bound at binding 0 of every group */
  constructor(
    private readonly device: GPUDevice,
    private readonly uniforms: GPUBuffer,
  ) {}

  /** Returns the bind group of these buffers, which follow the uniforms. */
  of(layout: GPUBindGroupLayout, uniformBytes: number, bound: readonly GPUBufferBinding[]): GPUBindGroup {
    let key = `${this.numberOf(layout)}`;
    for (const { buffer, offset, size } of bound)
      key += ` ${this.numberOf(buffer)} ${offset ?? ''} ${size ?? ''}`;
    let group = this.groups.get(key);
    if (group) return group;
    const entries = [{ buffer: this.uniforms, size: uniformBytes }, ...bound];
    group = this.device.createBindGroup({
      layout,
      entries: entries.map((resource, binding) => ({ binding, resource })),
    });
    if (this.groups.size >= KEPT_GROUPS) this.groups.clear();
    this.groups.set(key, group);
    return group;
  }

  private numberOf(thing: object): number {
    let number = this.numbers.get(thing);
    if (number === undefined) this.numbers.set(thing, (number = ++this.numbered));
    return number;
  }
}

/** Size of the buffer for the uniforms of one batch of commands, written once before the submit. */
const UNIFORM_BYTES = 65536;

/** Maximum FLOPs per submit: .8 s on a device with .1 TFLOP/s. Windows resets a device that is busy for 2 s. */
const SUBMIT_FLOPS = 80e9;

/** An empty set, so no tensor waits for a submit before its buffer is reused. */
const OWNS_NOTHING = { has: () => false, add: () => undefined };

export interface CommandCounts {
  dispatches: number;
  submits: number;
  readbacks: number;
}

/** A storage binding: a tensor, or a part of one at an offset that is a multiple of 256 bytes. */
export interface BufferRange {
  tensor: tf.TensorInfo;
  byteOffset: number;
  byteLength: number;
}

export class MarbleWebGPUBackend extends WebGPUBackend {
  readonly counts: CommandCounts = { dispatches: 0, submits: 0, readbacks: 0 };
  /** Device properties that determine a kernel's tile sizes. */
  readonly traits: AdapterTraits;
  /** Resolves with the reason when the device is lost, and never after `dispose`. */
  readonly lost: Promise<MarbleError>;

  readonly waits: QueueWaits;
  readonly buffers: BufferPool;
  private readonly faults: DeviceFaults;
  private closed = false;
  private readonly uniforms: GPUBuffer;
  /** Bound for a null tensor. It is as large as the largest element type of a kernel. */
  private readonly nothing: GPUBuffer;
  private readonly uniformStaging = new ArrayBuffer(UNIFORM_BYTES);
  private uniformBytes = 0;
  /** FLOPs recorded but not yet submitted. */
  private recordedFlops = 0;
  private readonly alignment: number;
  private readonly groups: BindGroups;
  /** Pipelines being compiled in compile-only mode, else null; see `compileAhead`. */
  private awaited: Promise<void>[] | null = null;

  constructor(device: GPUDevice, info: GPUAdapterInfo) {
    super(device, info);
    tf.env().set('WEBGPU_MATMUL_PROGRAM_TYPE', 3); // other matmul programs give wrong or unreliable results
    tf.env().set('WEBGPU_CPU_FORWARD', false); // otherwise small ops run on the CPU, on values that may be stale
    tf.env().set('WEBGPU_DEFERRED_SUBMIT_BATCH_SIZE', 64); // a third of the JavaScript time per op at 15
    this.traits = describeDevice(device, info);
    this.alignment = device.limits.minUniformBufferOffsetAlignment;
    this.uniforms = device.createBuffer({
      label: 'kernel uniforms',
      size: UNIFORM_BYTES,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    this.nothing = device.createBuffer({ label: 'no tensor', size: 16, usage: GPUBufferUsage.STORAGE });
    this.groups = new BindGroups(device, this.uniforms);
    this.waits = new QueueWaits(device.queue);
    const pool = this.bufferManager as unknown as PoolInternals;
    requireKnownInternals(this, pool);
    this.internals.commandQueueOwnedIds = OWNS_NOTHING;
    this.buffers = new BufferPool(pool, UNIFORM_BYTES, () => this.flush());
    this.faults = new DeviceFaults(device, (message) =>
      outOfMemory(this.buffers.usedBytes(), this.buffers.largestMade, message),
    );
    this.lost = new Promise((resolve) => {
      void device.lost.then((loss) => {
        if (this.closed) return;
        resolve(this.faults.lose(loss.message));
      });
    });
  }

  private get internals(): Internals {
    return this as unknown as Internals;
  }

  /**
   * Records one dispatch into the open compute pass.
   *
   * @param buffers in the order of the bind group, after the uniforms at binding 0; null for one that the kernel
   * does not read
   * @param uniforms the kernel's uniform struct
   * @param flops arithmetic of the dispatch; if the recorded total would exceed `SUBMIT_FLOPS`, earlier commands are
   * submitted
   */
  dispatch(
    pipeline: GPUComputePipeline,
    layout: GPUBindGroupLayout,
    buffers: readonly (tf.TensorInfo | BufferRange | null)[],
    uniforms: ArrayBuffer,
    workgroups: readonly [number, number, number],
    flops = 0,
  ): void {
    if (this.recordedFlops > 0 && this.recordedFlops + flops > SUBMIT_FLOPS) this.flush();
    this.recordedFlops += flops;
    // An upload may submit recorded commands and their uniforms, so bind the buffers before placing these uniforms.
    const bound = buffers.map((range): GPUBufferBinding =>
      range === null ? { buffer: this.nothing } : this.bufferBinding(range),
    );
    const uniformOffset = this.placeUniforms(uniforms);
    const group = this.groups.of(layout, Math.max(16, uniforms.byteLength), bound);
    this.ensureCommandEncoderReady();
    const internals = this.internals;
    internals.computePassEncoder ??= internals.commandEncoder!.beginComputePass();
    internals.computePassEncoder.setPipeline(pipeline);
    internals.computePassEncoder.setBindGroup(0, group, [uniformOffset]);
    internals.computePassEncoder.dispatchWorkgroups(...workgroups);
    this.counts.dispatches++;
    internals.dispatchCountInPass++;
    if (internals.dispatchCountInPass >= tf.env().getNumber('WEBGPU_DEFERRED_SUBMIT_BATCH_SIZE')) {
      this.endComputePassEncoder();
      this.submitQueue();
    }
  }

  /** Copies `count` four-byte elements between two tensors, after all recorded commands. */
  copy(from: tf.TensorInfo, fromElement: number, to: tf.TensorInfo, toElement: number, count: number): void {
    if (this.compilesOnly) return;
    const source = this.bufferBinding(from).buffer;
    const target = this.bufferBinding(to).buffer;
    this.ensureCommandEncoderReady();
    this.endComputePassEncoder();
    this.internals.commandEncoder!.copyBufferToBuffer(
      source,
      fromElement * 4,
      target,
      toElement * 4,
      count * 4,
    );
  }

  private bufferBinding(range: tf.TensorInfo | BufferRange): GPUBufferBinding {
    if ('tensor' in range) {
      const { buffer } = this.bufferBinding(range.tensor);
      return { buffer, offset: range.byteOffset, size: range.byteLength };
    }
    this.uploadToGPU(range.dataId);
    const buffer = this.tensorMap.get(range.dataId).resource as GPUBuffer;
    return { buffer };
  }

  private placeUniforms(uniforms: ArrayBuffer): number {
    if (this.uniformBytes + Math.max(16, uniforms.byteLength) > UNIFORM_BYTES) {
      this.endComputePassEncoder();
      this.submitQueue();
    }
    const offset = this.uniformBytes;
    new Uint8Array(this.uniformStaging).set(new Uint8Array(uniforms), offset);
    this.uniformBytes =
      offset + Math.ceil(Math.max(16, uniforms.byteLength) / this.alignment) * this.alignment;
    return offset;
  }

  override runWebGPUProgram(
    ...args: Parameters<WebGPUBackend['runWebGPUProgram']>
  ): ReturnType<WebGPUBackend['runWebGPUProgram']> {
    if (this.awaited) return this.compileProgram(this.awaited, args);
    this.counts.dispatches++;
    return super.runWebGPUProgram(...args);
  }

  /**
   * Compiles one of tfjs's programs. In compile-only mode tfjs caches a promise, which is replaced by its pipeline
   * here.
   */
  private compileProgram(
    awaited: Promise<void>[],
    args: Parameters<WebGPUBackend['runWebGPUProgram']>,
  ): ReturnType<WebGPUBackend['runWebGPUProgram']> {
    const cache = this.internals.pipelineCache;
    const known = new Set(Object.keys(cache));
    const output = super.runWebGPUProgram(...args);
    const { shaderKey } = args[0];
    if (known.has(shaderKey) || !(shaderKey in cache)) return output;
    awaited.push(
      Promise.resolve(cache[shaderKey]).then(
        (pipeline) => {
          cache[shaderKey] = pipeline;
        },
        () => {
          Reflect.deleteProperty(cache, shaderKey); // its first use recompiles it and reports the error
        },
      ),
    );
    return output;
  }

  /** True in compile-only mode, in which kernels are passed to `compileLater`. */
  get compilesOnly(): boolean {
    return this.awaited !== null;
  }

  compileLater(pipeline: Promise<void>): void {
    this.awaited?.push(pipeline);
  }

  /**
   * Enters compile-only mode until `endCompiling`: commands are compiled but not recorded, and readbacks return
   * zeros.
   */
  beginCompiling(): void {
    this.awaited = [];
    tf.env().set('WEBGPU_ENGINE_COMPILE_ONLY', true);
  }

  /** Leaves compile-only mode. @returns promises of the requested pipelines, which never reject */
  endCompiling(): Promise<void>[] {
    const awaited = this.awaited ?? [];
    this.awaited = null;
    tf.env().set('WEBGPU_ENGINE_COMPILE_ONLY', false);
    return awaited;
  }

  override submitQueue(): void {
    if (!this.internals.commandEncoder) return;
    if (this.uniformBytes > 0) {
      this.queue.writeBuffer(
        this.uniforms,
        0,
        this.uniformStaging,
        0,
        Math.min(this.uniformBytes, UNIFORM_BYTES),
      );
    }
    this.uniformBytes = 0;
    this.recordedFlops = 0;
    super.submitQueue();
    this.internals.commandQueueOwnedIds = OWNS_NOTHING;
    this.counts.submits++;
    this.buffers.submitted();
  }

  flush(): void {
    this.endComputePassEncoder();
    this.submitQueue();
  }

  /**
   * Reads a tensor's values, always from the device.
   *
   * @throws MarbleError when the device was lost or an earlier command was refused
   */
  override async read(dataId: object): Promise<tf.backend_util.BackendValues> {
    const data = this.tensorMap.get(dataId);
    if (data.resource == null) return super.read(dataId);
    const size = tf.util.sizeFromShape(data.shape) * 4; // the buffer may be larger than its tensor
    const bytes = this.compilesOnly
      ? new ArrayBuffer(size)
      : await this.readBuffer(data.resource as GPUBuffer);
    return tf.util.convertBackendValuesAndArrayBuffer(bytes.slice(0, size), data.dtype);
  }

  private async readBuffer(buffer: GPUBuffer): Promise<ArrayBuffer> {
    this.counts.readbacks++;
    this.faults.throwFirst();
    const reading = this.waits.nudged(this.getBufferData(buffer));
    const caught = this.faults.takeScopes();
    let bytes: ArrayBuffer | null = null;
    let refusal: unknown = null;
    try {
      bytes = await reading;
    } catch (error) {
      refusal = error;
    }
    await this.throwCaught(caught);
    if (bytes === null) throw deviceLost(String(refusal));
    return bytes;
  }

  /**
   * Waits until every recorded command has run.
   *
   * @throws MarbleError when the device was lost or a command was refused
   */
  async check(): Promise<void> {
    this.flush();
    const caught = this.faults.takeScopes();
    await this.waits.nudged(this.queue.onSubmittedWorkDone());
    await this.throwCaught(caught);
  }

  override dispose(): void {
    this.closed = true;
    this.flush();
    this.uniforms.destroy();
    this.nothing.destroy();
    super.dispose();
  }

  private async throwCaught(caught: Promise<GPUError | null>[]): Promise<void> {
    await this.faults.throwCaught(caught);
    this.buffers.largestMade = 0;
  }
}
