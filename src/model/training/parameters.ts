/**
 * The trainable parameters as one flat vector with AdamW's two moments, and the accumulated gradients. After each update the
 * model's tensors are rebuilt from the flat vector.
 */
import * as tf from '@tensorflow/tfjs-core';
import { addEach } from '../../ops/add-each';
import { adamW, gradientNorm, zeroMoments, type AdamWState } from '../../ops/adamw';
import { flatten, zeroVector, type ElementRange } from '../../ops/flat';
import { MarbleError } from '../../base/error';
import { elementsOf } from '../files/safetensors';
import type { AdamWOptions, Policy, PolicyState } from '../policy';
import type { Parameter } from './trainable';
import type { TensorSlot } from '../weights';

/** Gradient with respect to a whole tensor that contains parameters. */
export interface SlotGradient {
  slot: TensorSlot;
  tensor: tf.Tensor;
}

const read = async (tensor: tf.Tensor): Promise<Float32Array> =>
  ((await tensor.data()) as Float32Array).slice();

export function createParameterStore(parameters: readonly Parameter[]) {
  let size = 0;
  /** Offset of each parameter in the flat vector. */
  const starts = new Map(
    parameters.map((parameter) => {
      const start = size;
      size += elementsOf(parameter);
      return [parameter, start];
    }),
  );
  /** Parameters of each of the model's tensors, in order of their offsets. */
  const bySlot = new Map<TensorSlot, Parameter[]>();
  for (const parameter of parameters) {
    bySlot.set(parameter.slot, [...(bySlot.get(parameter.slot) ?? []), parameter]);
  }
  /** Accumulated gradient of each slot. */
  const held = new Map<TensorSlot, tf.Tensor>();
  /** Gathers a flat vector from one tensor per slot; zeros for a slot without a tensor. */
  const flatOf = (tensorOf: (slot: TensorSlot) => tf.Tensor | undefined): tf.Tensor1D =>
    tf.tidy(() =>
      flatten(
        parameters.map((parameter) => {
          const size = elementsOf(parameter);
          const tensor = tensorOf(parameter.slot);
          return tensor ? { tensor, offset: parameter.offset, size } : zeroVector(size);
        }),
      ),
    );
  const state: AdamWState = { parameters: tf.keep(flatOf((slot) => slot.read())), ...zeroMoments(size) };
  let updates = 0;

  /** Rebuilds the model's tensors from the flat vector. Elements that are not parameters keep their values. */
  const scatter = (): void => {
    for (const [slot, slotParameters] of bySlot) {
      const previous = slot.read();
      const parts: ElementRange[] = [];
      let end = 0;
      const keepUntil = (offset: number): void => {
        if (offset > end) parts.push({ tensor: previous, offset: end, size: offset - end });
      };
      for (const parameter of slotParameters) {
        keepUntil(parameter.offset);
        const size = elementsOf(parameter);
        parts.push({ tensor: state.parameters, offset: starts.get(parameter)!, size });
        end = parameter.offset + size;
      }
      keepUntil(previous.size);
      slot.write(tf.keep(tf.tidy(() => tf.reshape(flatten(parts), previous.shape))));
      previous.dispose();
    }
  };

  const dropGradients = (): void => {
    tf.dispose([...held.values()]);
    held.clear();
  };

  const replace = (key: keyof AdamWState, values: Float32Array): void => {
    state[key].dispose();
    state[key] = tf.keep(tf.tensor1d(values.slice()));
  };

  return {
    size,
    /** Adds to the accumulated gradients and takes ownership of the tensors. */
    accumulate(gradients: readonly SlotGradient[]): void {
      const [later, first] = [true, false].map((known) =>
        gradients.filter(({ slot }) => held.has(slot) === known),
      );
      for (const { slot, tensor } of first) held.set(slot, tf.keep(tensor));
      const sums = addEach(
        later.map(({ slot }) => held.get(slot)!),
        later.map(({ tensor }) => tensor),
      );
      later.forEach(({ slot }, index) => held.set(slot, tf.keep(sums[index])));
    },
    async gradients(): ReturnType<Policy['gradients']> {
      const named: Record<string, Float32Array> = {};
      for (const parameter of parameters) {
        const { name, slot, offset } = parameter;
        const values = (await held.get(slot)?.data()) as Float32Array | undefined;
        if (values) named[name] = values.slice(offset, offset + elementsOf(parameter));
      }
      return named;
    },
    async update(options: AdamWOptions): ReturnType<Policy['update']> {
      const gradient = flatOf((slot) => held.get(slot));
      const gradNorm = await gradientNorm(gradient);
      const applied = Number.isFinite(gradNorm);
      if (applied) {
        updates++;
        const gradientScale = Math.min(1, options.maxGradNorm / (gradNorm + 1e-6));
        adamW(state, gradient, { ...options, update: updates, gradientScale });
        scatter();
      }
      gradient.dispose();
      dropGradients();
      return { gradNorm, applied };
    },
    /** Runs the ops of an update on scratch tensors, to compile their kernels (`compileAhead`). Drops accumulated gradients. */
    async rehearseUpdate(): Promise<void> {
      const [gradient, parameters] = [1, 2].map(() => tf.keep(tf.zeros<tf.Rank.R1>([1])));
      const scratch: AdamWState = { parameters, ...zeroMoments(1) };
      await gradientNorm(gradient);
      const settings = { learningRate: 0, beta1: 0, beta2: 0, epsilon: 1, weightDecay: 0 };
      adamW(scratch, gradient, { ...settings, update: 1, gradientScale: 1 });
      tf.dispose([gradient, scratch.parameters, scratch.moment1, scratch.moment2]);
      dropGradients();
    },
    /** True if there was an update since the last reset of the optimiser. */
    isUpdated: (): boolean => updates > 0,

    /** Sets both moments and the update count to zero and drops accumulated gradients. */
    resetOptimizer(): void {
      tf.dispose([state.moment1, state.moment2]);
      Object.assign(state, zeroMoments(size));
      updates = 0;
      dropGradients();
    },
    async state(): Promise<Omit<PolicyState, 'reference'>> {
      return {
        parameters: await read(state.parameters),
        moment1: await read(state.moment1),
        moment2: await read(state.moment2),
        updates,
      };
    },
    /** @throws MarbleError `model/state-size` for the state of a model of another size */
    requireSize({ parameters, moment1, moment2, reference }: PolicyState): void {
      for (const [key, values] of Object.entries({ parameters, moment1, moment2, reference })) {
        if (values === null || values.length === size) continue;
        throw new MarbleError(
          'model/state-size',
          `The saved state has ${values.length} numbers in ${key}; the model trains ${size}.`,
          'Resume with the model and the training mode that wrote the checkpoint.',
        );
      }
    },
    restore(saved: Omit<PolicyState, 'reference'>): void {
      replace('parameters', saved.parameters);
      replace('moment1', saved.moment1);
      replace('moment2', saved.moment2);
      updates = saved.updates;
      dropGradients();
      scatter();
    },
    /** The parameters as one tensor, which the caller disposes of. */
    flat: (): tf.Tensor1D => tf.keep(tf.clone(state.parameters)),
    /** The parameters, read back from the device. */
    values: (): Promise<Float32Array> => read(state.parameters),
    dispose(): void {
      dropGradients();
      tf.dispose([state.parameters, state.moment1, state.moment2]);
    },
  };
}
