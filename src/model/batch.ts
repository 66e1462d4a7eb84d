/**
 * Sequences of unequal length as padded micro-batches: padding stands on the right, lengths are rounded up to a
 * bucket, so that few shapes ever reach the GPU (its buffer pool keeps one buffer per exact size for good).
 */
import { MarbleError } from '../error';

export interface MicroBatch {
  /** Index of each row in the caller's list. */
  order: number[];
  /** Padded length T. */
  length: number;
  /** [rows * T] token ids, padding 0. */
  ids: Int32Array;
  /** Rows of the [rows * T] matrix that predict a response token: sequence by sequence, in order. */
  responseRows: number[];
  /** The token each of those rows is to predict. */
  responseTokens: Int32Array;
  /** How many response tokens each sequence of `order` has. */
  responseLengths: number[];
}

export function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}

/**
 * Splits sequences into micro-batches of at most `tokenBudget` padded tokens (at least one sequence each), longest
 * first, so that a micro-batch holds sequences of like length.
 *
 * @param promptLengths how many leading tokens of each sequence are given, at least 1
 */
export function planMicroBatches(
  sequences: readonly (readonly number[])[],
  promptLengths: readonly number[],
  { tokenBudget, bucket }: { tokenBudget: number; bucket: number },
): MicroBatch[] {
  if (sequences.length !== promptLengths.length) {
    throw new MarbleError(
      'model/batch',
      `There are ${sequences.length} sequences but ${promptLengths.length} prompt lengths.`,
      'Pass one prompt length per sequence.',
    );
  }
  sequences.forEach((sequence, index) => {
    if (promptLengths[index] < 1 || promptLengths[index] > sequence.length) {
      throw new MarbleError(
        'model/batch',
        `Sequence ${index} has ${sequence.length} tokens and a prompt of ${promptLengths[index]}.`,
        'A prompt needs at least one token, and the sequence must contain it.',
      );
    }
  });
  const byLength = sequences.map((_, index) => index);
  byLength.sort((a, b) => sequences[b].length - sequences[a].length || a - b);
  const batches: MicroBatch[] = [];
  for (let start = 0; start < byLength.length;) {
    const length = roundUp(sequences[byLength[start]].length, bucket);
    const rows = Math.max(1, Math.floor(tokenBudget / length));
    batches.push(pad(byLength.slice(start, start + rows), length, sequences, promptLengths));
    start += rows;
  }
  return batches;
}

function pad(
  order: number[],
  length: number,
  sequences: readonly (readonly number[])[],
  promptLengths: readonly number[],
): MicroBatch {
  const ids = new Int32Array(order.length * length);
  const responseRows: number[] = [];
  const responseTokens: number[] = [];
  const responseLengths: number[] = [];
  order.forEach((index, row) => {
    const sequence = sequences[index];
    ids.set(sequence, row * length);
    // the hidden state of position t - 1 predicts token t
    for (let t = promptLengths[index]; t < sequence.length; t++) {
      responseRows.push(row * length + t - 1);
      responseTokens.push(sequence[t]);
    }
    responseLengths.push(sequence.length - promptLengths[index]);
  });
  return {
    order,
    length,
    ids,
    responseRows,
    responseTokens: Int32Array.from(responseTokens),
    responseLengths,
  };
}

/** Cuts the flat per-token values of a micro-batch into one array per sequence, at the caller's indices. */
export function scatterBySequence(batch: MicroBatch, flat: Float32Array, into: Float32Array[]): void {
  let offset = 0;
  batch.order.forEach((index, row) => {
    into[index] = flat.slice(offset, offset + batch.responseLengths[row]);
    offset += batch.responseLengths[row];
  });
}

/** The inverse: per-sequence values in the micro-batch's token order. */
export function gatherBySequence(batch: MicroBatch, values: readonly ArrayLike<number>[]): Float32Array {
  const flat = new Float32Array(batch.responseRows.length);
  let offset = 0;
  batch.order.forEach((index, row) => {
    if (values[index].length !== batch.responseLengths[row]) {
      throw new MarbleError(
        'model/batch',
        `The objective returned ${values[index].length} values for sequence ${index}, which has ${batch.responseLengths[row]} response tokens.`,
        'Return one gradient for every response token.',
      );
    }
    flat.set(values[index], offset);
    offset += batch.responseLengths[row];
  });
  return flat;
}
