/**
 * A long tensor that is filled part by part, so that its values are never whole in the page's memory: on WebGPU each
 * part goes straight into the tensor's buffer; on wasm and cpu the tensor's own memory is the page's anyway.
 */
import * as tf from '@tensorflow/tfjs-core';
import { dryWork } from './dry/work';
import { emptyTensor, webgpuBackend } from './kernel';
import { heapTensor } from './wasm-heap';

export interface TensorWriter {
  /** Writes `values` from element `offset` on; resolves when the part's memory may be given up. */
  write(offset: number, values: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>): Promise<void>;
  /** The tensor, every element of which must have been written. The caller disposes of it. */
  finish(): tf.Tensor1D;
}

/** @param length elements, four bytes each */
export function openTensorWriter(length: number, dtype: 'float32' | 'int32'): TensorWriter {
  return tf.getBackend() === 'webgpu' ? deviceWriter(length, dtype) : hostWriter(length, dtype);
}

function deviceWriter(length: number, dtype: 'float32' | 'int32'): TensorWriter {
  const backend = webgpuBackend();
  const tensor = tf.keep(emptyTensor<tf.Rank.R1>([length], dtype));
  // the buffer may come from the pool: commands that still use it must be ahead of the writes
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

function hostWriter(length: number, dtype: 'float32' | 'int32'): TensorWriter {
  if (dryWork() !== null && dtype === 'float32') {
    return { write: () => Promise.resolve(), finish: () => tf.keep(heapTensor<tf.Rank.R1>([length])) };
  }
  const whole = dtype === 'float32' ? new Float32Array(length) : new Int32Array(length);
  return {
    write(offset, values) {
      whole.set(values, offset);
      return Promise.resolve();
    },
    finish: () => tf.keep(tf.tensor1d(whole, dtype)),
  };
}
