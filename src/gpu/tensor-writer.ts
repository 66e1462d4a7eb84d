/**
 * Fills a long tensor part by part, so the page's memory never holds all of its values. On WebGPU each part is
 * written directly to the tensor's buffer, on wasm to the heap.
 */
import * as tf from '@tensorflow/tfjs-core';
import { implementations } from './implementations';
import { emptyTensor, webgpuBackend } from './kernel';
import { heapAddress, heapModule, heapTensor } from './wasm-heap';

export interface TensorWriter {
  /** Writes `values` from element `offset` on. Resolves when the part's memory may be released. */
  write(offset: number, values: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>): Promise<void>;
  /** Returns the tensor after every element is written. The caller disposes of it. */
  finish(): tf.Tensor1D;
}

const writer = implementations('tensorWriter', {
  wasm: () => Promise.resolve(heapWriter),
  wgsl: () => Promise.resolve(deviceWriter),
});

/** @param length number of elements, four bytes each */
export function openTensorWriter(length: number, dtype: 'float32' | 'int32'): TensorWriter {
  return writer.current(length, dtype);
}

function deviceWriter(length: number, dtype: 'float32' | 'int32'): TensorWriter {
  const backend = webgpuBackend();
  const tensor = tf.keep(emptyTensor<tf.Rank.R1>([length], dtype));
  // the buffer may come from the pool: submit the commands that still use it before writing
  backend.flush();
  backend.uploadToGPU(tensor.dataId);
  const buffer = backend.tensorMap.get(tensor.dataId).resource as GPUBuffer;
  return {
    async write(offset, values) {
      backend.device.queue.writeBuffer(buffer, offset * 4, values);
      await backend.device.queue.onSubmittedWorkDone();
    },
    finish: () => tensor,
  };
}

/** Writes directly into the heap. A copy outside would double the memory. */
function heapWriter(length: number, dtype: 'float32' | 'int32'): TensorWriter {
  const tensor = tf.keep(heapTensor<tf.Rank.R1>([length], dtype));
  return {
    write(offset, values) {
      const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
      heapModule().HEAPU8.set(bytes, heapAddress(tensor) + 4 * offset);
      return Promise.resolve();
    },
    finish: () => tensor,
  };
}
