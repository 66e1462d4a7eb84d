/**
 * A GPUDevice without a GPU. Buffers have a size but no memory, commands are dropped, and reads return zeros. The
 * backend's buffer pool runs on it unchanged.
 */

export interface DryDevice {
  device: GPUDevice;
  /** Bytes of the largest buffer and of the largest storage binding. */
  largest: () => { allocated: number; bound: number };
}

const nothing = (): undefined => undefined;
const nothingLater = (): Promise<null> => Promise.resolve(null);

/** @param adapter supplies the limits and features of the device */
export function createDryDevice({ limits, features, info }: GPUAdapter): DryDevice {
  const largest = { allocated: 0, bound: 0 };
  const createBuffer = (descriptor: GPUBufferDescriptor): GPUBuffer => {
    const { size, usage } = descriptor;
    if (usage & GPUBufferUsage.STORAGE) largest.allocated = Math.max(largest.allocated, size);
    const fields = {
      ...descriptor,
      mapState: descriptor.mappedAtCreation ? 'mapped' : 'unmapped',
      mapAsync: nothingLater,
      getMappedRange: () => new ArrayBuffer(size),
      unmap: () => void (fields.mapState = 'unmapped'),
      destroy: nothing,
    };
    // tfjs checks `instanceof GPUBuffer`
    return Object.setPrototypeOf(fields, GPUBuffer.prototype) as GPUBuffer;
  };
  const createBindGroup = ({ entries }: GPUBindGroupDescriptor): object => {
    for (const { resource } of entries) {
      const { buffer, size } = resource as Partial<GPUBufferBinding>;
      if (buffer) largest.bound = Math.max(largest.bound, size ?? buffer.size);
    }
    return {};
  };
  const pass = { setPipeline: nothing, setBindGroup: nothing, dispatchWorkgroups: nothing, end: nothing };
  const encoder = {
    ...{ beginComputePass: () => pass, copyBufferToBuffer: nothing, clearBuffer: nothing },
    finish: () => ({}),
  };
  const pipeline = { getBindGroupLayout: () => ({}) };
  const device = {
    limits,
    features,
    adapterInfo: info,
    lost: new Promise(() => undefined),
    queue: { submit: nothing, writeBuffer: nothing, onSubmittedWorkDone: nothingLater },
    pushErrorScope: nothing,
    popErrorScope: nothingLater,
    addEventListener: nothing,
    createBuffer,
    createBindGroup,
    createBindGroupLayout: () => ({}),
    createPipelineLayout: () => ({}),
    createShaderModule: () => ({}),
    createComputePipeline: () => pipeline,
    createComputePipelineAsync: () => Promise.resolve(pipeline),
    createCommandEncoder: () => encoder,
    destroy: nothing,
  };
  return { device: device as unknown as GPUDevice, largest: () => ({ ...largest }) };
}
