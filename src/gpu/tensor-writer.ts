/**
 * Fills a long tensor part by part, so the page's memory never holds all of its values. On WebGPU each part is
 * written directly to the tensor's buffer, on wasm to the heap.
 */
import * as tf from '@tensorflow/tfjs-core';
import { implementations } from './implementations';
import { emptyTensor, webgpuBackend } from './kernel';
import { heapAddress, heapModule, heapTensor } from './wasm-heap';

export interface TensorWriter {
  /** Appends bytes, which begin at offset 0 of their buffer. Resolves when their memory may be released. */
  append(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Returns the tensor after every element is written. The caller disposes of it. */
  finish(): Promise<tf.Tensor1D>;
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
  let end = 0;
  /** Bytes of an incomplete element, which a buffer does not accept. */
  let left = new Uint8Array(0);
  const append = async (piece: Uint8Array<ArrayBuffer>): Promise<void> => {
    let bytes = piece;
    if (left.length > 0) {
      bytes = new Uint8Array(left.length + piece.length);
      bytes.set(left);
      bytes.set(piece, left.length);
    }
    const whole = bytes.length - (bytes.length % 4);
    backend.device.queue.writeBuffer(buffer, end, bytes, 0, whole);
    end += whole;
    left = bytes.slice(whole);
    await backend.device.queue.onSubmittedWorkDone();
  };
  return {
    append,
    async finish() {
      if (left.length > 0) await append(new Uint8Array(4 - left.length));
      return tensor;
    },
  };
}

/** Writes directly into the heap. A copy outside would double the memory. */
function heapWriter(length: number, dtype: 'float32' | 'int32'): TensorWriter {
  const tensor = tf.keep(heapTensor<tf.Rank.R1>([length], dtype));
  let end = 0;
  const append = (bytes: Uint8Array): Promise<void> => {
    heapModule().HEAPU8.set(bytes, heapAddress(tensor) + end);
    end += bytes.length;
    return Promise.resolve();
  };
  return { append, finish: () => append(new Uint8Array((4 * length - end) % 4)).then(() => tensor) };
}
