/**
 * The trainable parameters as one flat vector with AdamW's two moments and the accumulated gradient. The model's own
 * tensors are slices of it, replaced after each update.
 */
import * as tf from '@tensorflow/tfjs-core';
import { addEach } from '../ops/add-each';
import { adamW, gradientNorm, type AdamWState } from '../ops/adamw';
import { flatten, unflatten } from '../ops/flat';
import { MarbleError } from '../error';
import type { AdamWOptions, PolicyState } from './policy';
import type { GradientParts, Parameter, PartialGradient } from './weights';

export interface ParameterStore {
  readonly size: number;
  /** Takes ownership of the gradients. A parameter's always comes in a tensor with the same others. */
  accumulate(gradients: readonly PartialGradient[]): void;
  gradients(): Promise<Record<string, Float32Array>>;
  update(options: AdamWOptions): Promise<{ gradNorm: number; applied: boolean }>;
  /** Sets both moments and the update count to zero and drops accumulated gradients. */
  resetOptimizer(): void;
  state(): Promise<Omit<PolicyState, 'reference'>>;
  restore(state: Omit<PolicyState, 'reference'>): void;
  /** The parameters as one vector; the caller disposes of it. */
  flat(): tf.Tensor1D;
  /** Gives the model other parameters for as long as `use` takes. */
  lend(parameters: tf.Tensor1D, use: () => void): void;
  /** Tensors held beside the model's own: the flat parameters and both moments. */
  tensors(): tf.Tensor[];
  dispose(): void;
}

/** The element of a tensor at which a parameter's gradient begins. */
interface HeldGradient {
  tensor: tf.Tensor;
  offset: number;
}

export function createParameterStore(parameters: readonly Parameter[]): ParameterStore {
  const sizes = parameters.map(({ shape }) => shape.reduce((product, size) => product * size, 1));
  const size = sizes.reduce((sum, count) => sum + count, 0);
  /** By the name of a parameter that has its gradient in it. */
  const held = new Map<string, HeldGradient>();
  const flatParameters = (): tf.Tensor1D => flatten(parameters.map((parameter) => parameter.read()));
  const state: AdamWState = {
    parameters: tf.keep(flatParameters()),
    moment1: tf.keep(tf.zeros([size])),
    moment2: tf.keep(tf.zeros([size])),
  };
  let updates = 0;

  /** Gives the model's tensors the values of the flat vector. */
  const spread = (): void => {
    const parts = unflatten(
      state.parameters,
      parameters.map(({ shape }) => shape),
    );
    parameters.forEach((parameter, index) => {
      const before = parameter.read();
      parameter.write(tf.keep(parts[index]));
      before.dispose();
    });
  };

  const dropGradients = (): void => {
    for (const { tensor } of held.values()) tensor.dispose();
    held.clear();
  };

  const flatGradient = (): tf.Tensor1D =>
    tf.tidy(() =>
      flatten(
        parameters.map(({ name }, index) => {
          const gradient = held.get(name);
          if (!gradient) return tf.zeros([sizes[index]]);
          return { tensor: gradient.tensor, offset: gradient.offset, size: sizes[index] };
        }),
      ),
    );

  const replace = (key: keyof AdamWState, values: Float32Array): void => {
    if (values.length !== size) {
      throw new MarbleError(
        'model/state-size',
        `The saved state holds ${values.length} numbers in ${key}, the model trains ${size}.`,
        'Resume with the model and the training mode that wrote the checkpoint.',
      );
    }
    state[key].dispose();
    state[key] = tf.keep(tf.tensor1d(values.slice()));
  };

  return {
    size,
    accumulate(gradients) {
      const heldFor = ({ parts }: PartialGradient): tf.Tensor | undefined =>
        held.get(parts.find(({ name }) => name !== null)!.name!)?.tensor;
      const hold = (parts: GradientParts, tensor: tf.Tensor): void => {
        let offset = 0;
        for (const { name, size } of parts) {
          if (name !== null) held.set(name, { tensor, offset });
          offset += size;
        }
      };
      const [later, first] = [true, false].map((known) =>
        gradients.filter((gradient) => (heldFor(gradient) !== undefined) === known),
      );
      for (const { parts, tensor } of first) hold(parts, tf.keep(tensor));
      const sums = addEach(
        later.map((gradient) => heldFor(gradient)!),
        later.map(({ tensor }) => tensor),
      );
      later.forEach(({ parts }, index) => hold(parts, tf.keep(sums[index])));
    },
    async gradients() {
      const named: Record<string, Float32Array> = {};
      for (const [index, { name }] of parameters.entries()) {
        const gradient = held.get(name);
        if (!gradient) continue;
        const values = (await gradient.tensor.data()) as Float32Array;
        named[name] = values.slice(gradient.offset, gradient.offset + sizes[index]);
      }
      return named;
    },
    async update(options) {
      const gradient = flatGradient();
      const gradNorm = await gradientNorm(gradient);
      const applied = Number.isFinite(gradNorm);
      if (applied) {
        updates++;
        const gradientScale = Math.min(1, options.maxGradNorm / (gradNorm + 1e-6));
        adamW(state, gradient, { ...options, update: updates, gradientScale });
        spread();
      }
      gradient.dispose();
      dropGradients();
      return { gradNorm, applied };
    },
    resetOptimizer() {
      replace('moment1', new Float32Array(size));
      replace('moment2', new Float32Array(size));
      updates = 0;
      dropGradients();
    },
    async state() {
      const read = async (tensor: tf.Tensor): Promise<Float32Array> =>
        ((await tensor.data()) as Float32Array).slice();
      return {
        parameters: await read(state.parameters),
        moment1: await read(state.moment1),
        moment2: await read(state.moment2),
        updates,
      };
    },
    restore(saved) {
      replace('parameters', saved.parameters);
      replace('moment1', saved.moment1);
      replace('moment2', saved.moment2);
      updates = saved.updates;
      dropGradients();
      spread();
    },
    flat: () => tf.keep(tf.clone(state.parameters)),
    lend(parameters, use) {
      const own = state.parameters;
      state.parameters = parameters;
      spread();
      use();
      state.parameters = own;
      spread();
    },
    tensors: () => [state.parameters, state.moment1, state.moment2],
    dispose() {
      dropGradients();
      tf.dispose([state.parameters, state.moment1, state.moment2]);
    },
  };
}
