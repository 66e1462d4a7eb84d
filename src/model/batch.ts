/**
 * Splits the sequences of a micro-batch into device batches that fit the memory; one pass processes one device batch. Padding
 * is on the right. Lengths are rounded up to a bucket to limit the number of shapes, since the GPU's buffer pool keeps buffers
 * by exact size.
 *
 * Consecutive sequences with a common prompt, such as the samples of one prompt, share its rows: all tokens of the prompt
 * except the last have rows of their own, and each sequence is a branch that starts with the prompt's last token. The last
 * token of a sequence predicts nothing and has no row.
 *
 * On wasm the padding rows are removed at the end, since shapes cost nothing there. No other row depends on padding;
 * dropping it only drops zero terms. The grouping of sequences, and with it the order of sums, is the same with padding.
 */
import { MarbleError } from '../base/error';
import { blockFloats } from '../base/rows-at-once';
import { paddedRows, wholeSequences, type BranchLayout } from '../ops/attention';
import type { ModelConfig } from './config';

/** Layout of the rows of one pass: shared prompts first, then sequences. */
export interface RowLayout extends BranchLayout {
  /** Indices of the rows without padding in the padded layout, ascending; omitted for a padded layout. */
  places?: readonly number[];
}

export interface DeviceBatch {
  /** Index of each sequence in the caller's list. */
  order: number[];
  layout: RowLayout;
  /** [rows] token ids, padding 0. */
  ids: Int32Array;
  /** [rows] position of each row in its sequence; padding has the position of the last token. */
  positions: Int32Array;
  /** Rows that predict a response token, sequence by sequence, ascending. */
  responseRows: number[];
  /** Target token of each response row. */
  responseTokens: Int32Array;
  /** Number of response tokens of each sequence in `order`. */
  responseLengths: number[];
}

export interface BatchLimits {
  /** Limit on the rows of a device batch, padding included. A single sequence may exceed it. */
  tokenBudget: number;
  /** Lengths are rounded up to a multiple of this. */
  bucket: number;
  /** Removes the padding rows at the end. */
  withoutPadding: boolean;
}

interface Group {
  members: number[];
  promptLength: number;
  longest: number;
}

/**
 * Limit on the padded tokens of a device batch, from the width of the widest activation. On a GPU the recomputation of a block
 * needs about 64 MB. The CPU has a larger limit, which keeps the samples of a prompt together and reads it once.
 */
export function tokenBudget(config: ModelConfig, onGpu: boolean): number {
  const numbers = onGpu ? 16e6 : 40e6;
  return Math.max(512, Math.floor(numbers / (4 * config.intermediateSize + 8 * config.hiddenSize)));
}

/** Limit in bytes on the tapes that a GPU keeps to avoid recomputation. */
const MOST_TAPES = 128e6;

/** Bytes of the tapes of all blocks for a batch of `rows` rows on a GPU; 0 if they exceed the limit and are not kept. */
export function tapesKept(config: ModelConfig, rows: number): number {
  const bytes = 4 * rows * config.layers * blockFloats(config);
  return bytes <= MOST_TAPES ? bytes : 0;
}

/** Limits on one prefill: padded prompt tokens, and arithmetic for at most a second on a GPU with 1 TFLOP/s. */
const PREFILL_TOKENS = 8192;
const PREFILL_FLOPS = 750e9;

/** Limit on the padded prompt tokens of one prefill, after which the engine waits for the device. */
export function prefillTokens(config: ModelConfig): number {
  const { layers, hiddenSize, heads, kvHeads, headDim, intermediateSize } = config;
  const weights = layers * hiddenSize * (2 * (heads + kvHeads) * headDim + 3 * intermediateSize);
  return Math.min(PREFILL_TOKENS, Math.floor(PREFILL_FLOPS / (2 * weights)));
}

/** Multiple to which lengths are rounded up on a GPU. */
export function lengthBucket({ hiddenSize }: ModelConfig): number {
  return hiddenSize >= 512 ? 64 : 16;
}

export function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}

/**
 * Length of the longest sequence.
 *
 * @throws MarbleError `model/batch` for an empty sequence, `model/token-id` for an id outside the vocabulary
 */
export function longestOf(sequences: readonly (readonly number[])[], vocabularySize: number): number {
  if (sequences.length === 0 || sequences.some((sequence) => sequence.length === 0)) {
    throw new MarbleError('model/batch', 'A sequence is empty.', 'Pass at least one token in each sequence.');
  }
  let longest = 0;
  for (const sequence of sequences) {
    longest = Math.max(longest, sequence.length);
    for (const id of sequence) {
      if (Number.isInteger(id) && id >= 0 && id < vocabularySize) continue;
      throw new MarbleError(
        'model/token-id',
        `Token id ${id} is outside the vocabulary of ${vocabularySize}.`,
        'Encode the text with the tokenizer that belongs to this model.',
      );
    }
  }
  return longest;
}

/**
 * Splits sequences into device batches, longest first. The sequences of a batch have similar lengths.
 *
 * @param promptLengths number of prompt tokens of each sequence, at least 1
 */
export function planDeviceBatches(
  sequences: readonly (readonly number[])[],
  promptLengths: readonly number[],
  { tokenBudget, bucket, withoutPadding }: BatchLimits,
): DeviceBatch[] {
  checkSequences(sequences, promptLengths);
  const groups = groupByPrompt(sequences, promptLengths);
  const samples = groups[0].members.length;
  const shareable =
    samples > 1 &&
    groups.every(({ members, promptLength }) => members.length === samples && promptLength > 1);
  const units = shareable ? splitGroups(groups, samples, tokenBudget) : splitGroups(groups, 1, 0);
  units.sort((a, b) => b.longest - a.longest);
  const batches: Group[][] = [];
  for (const unit of units) {
    const open = batches.at(-1);
    if (open && paddedRows(layoutOf([...open, unit], bucket)) <= tokenBudget) open.push(unit);
    else batches.push([unit]);
  }
  return batches.map((batch) => finish(filled(batch, layoutOf(batch, bucket), sequences), withoutPadding));
}

function checkSequences(sequences: readonly (readonly number[])[], promptLengths: readonly number[]): void {
  if (sequences.length !== promptLengths.length || sequences.length === 0) {
    throw new MarbleError(
      'model/batch',
      `There are ${sequences.length} sequences and ${promptLengths.length} prompt lengths.`,
      'Pass at least one sequence, and one prompt length for each.',
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
}

function groupByPrompt(sequences: readonly (readonly number[])[], promptLengths: readonly number[]): Group[] {
  const groups: Group[] = [];
  sequences.forEach((sequence, index) => {
    const promptLength = promptLengths[index];
    const last = groups.at(-1);
    const previous = last === undefined ? [] : sequences[last.members[0]];
    const isSamePrompt =
      last?.promptLength === promptLength &&
      previous.slice(0, promptLength).every((id, t) => id === sequence[t]);
    if (isSamePrompt) {
      last.members.push(index);
      last.longest = Math.max(last.longest, sequence.length);
    } else {
      groups.push({ members: [index], promptLength, longest: sequence.length });
    }
  });
  return groups;
}

/** Splits groups into equal parts by the largest divisor of `samples` whose parts fit the budget, at least one sequence each. */
function splitGroups(groups: readonly Group[], samples: number, tokenBudget: number): Group[] {
  const tooLarge = (count: number): boolean =>
    groups.some(
      ({ promptLength, longest }) => promptLength + count * (longest - promptLength + 1) > tokenBudget,
    );
  let part = samples;
  while (part > 1 && (samples % part !== 0 || tooLarge(part))) part--;
  return groups.flatMap(({ members, promptLength, longest }) =>
    Array.from({ length: members.length / part }, (_, index) => ({
      members: members.slice(index * part, (index + 1) * part),
      promptLength,
      longest,
    })),
  );
}

/** Number of tokens in the shared rows of a unit's prompt: all except the last token; 0 for an unshared prompt. */
const sharedTokens = ({ members, promptLength }: Group): number =>
  members.length > 1 ? promptLength - 1 : 0;

/** Layout with the shared prompts first, then the remaining tokens of every sequence. */
function layoutOf(units: readonly Group[], bucket: number): RowLayout {
  const samples = units[0].members.length;
  const prefixLengths = units.map(sharedTokens);
  return {
    length: roundUp(Math.max(1, ...units.map((unit) => unit.longest - 1 - sharedTokens(unit))), bucket),
    prompts: { length: roundUp(Math.max(...prefixLengths), bucket), branches: { samples, prefixLengths } },
  };
}

/** A batch with padding; `places` are the rows without padding. */
type OpenBatch = Omit<DeviceBatch, 'responseTokens'> & { tokens: number[]; places: number[] };

function filled(
  units: readonly Group[],
  layout: RowLayout,
  sequences: readonly (readonly number[])[],
): OpenBatch {
  const { length, prompts } = layout;
  const rows = paddedRows(layout);
  const batch: OpenBatch = {
    order: units.flatMap(({ members }) => members),
    layout,
    ids: new Int32Array(rows),
    positions: new Int32Array(rows),
    responseRows: [],
    tokens: [],
    places: [],
    responseLengths: [],
  };
  /** Writes tokens to the rows from `start` on, of which there are `room`. Positions run from `first`, padding has `last`. */
  const addRows = (
    tokens: readonly number[],
    [first, last]: readonly [number, number],
    start: number,
    room: number,
  ): void => {
    batch.ids.set(tokens, start);
    for (let row = 0; row < tokens.length; row++) batch.places.push(start + row);
    for (let row = 0; row < room; row++) batch.positions[start + row] = Math.min(first + row, last);
  };
  const prefix = prompts.length;
  units.forEach((unit, group) => {
    const shared = sharedTokens(unit);
    addRows(sequences[unit.members[0]].slice(0, shared), [0, shared], group * prefix, prefix);
  });
  let start = units.length * prefix;
  for (const unit of units) {
    const first = sharedTokens(unit);
    for (const index of unit.members) {
      const sequence = sequences[index];
      // The last token predicts nothing. A prompt without a response still needs one row.
      const tokens = sequence.slice(first, Math.max(first + 1, sequence.length - 1));
      addRows(tokens, [first, sequence.length - 1], start, length);
      // The row of the prompt's last token predicts the first response token.
      for (let t = unit.promptLength; t < sequence.length; t++) {
        batch.responseRows.push(start + t - 1 - first);
        batch.tokens.push(sequence[t]);
      }
      batch.responseLengths.push(sequence.length - unit.promptLength);
      start += length;
    }
  }
  return batch;
}

function finish({ tokens, places: unsorted, ...batch }: OpenBatch, withoutPadding: boolean): DeviceBatch {
  const responseTokens = Int32Array.from(tokens);
  if (!withoutPadding) return { ...batch, responseTokens };
  const places = unsorted.sort((a, b) => a - b);
  const rowAt = new Int32Array(batch.ids.length);
  places.forEach((place, row) => (rowAt[place] = row));
  return {
    ...batch,
    layout: { ...batch.layout, places },
    ids: Int32Array.from(places, (place) => batch.ids[place]),
    positions: Int32Array.from(places, (place) => batch.positions[place]),
    responseRows: batch.responseRows.map((place) => rowAt[place]),
    responseTokens,
  };
}

/**
 * Whole sequences, padded to `length` or without padding. The response row of each is that of its last token.
 */
export function wholeBatch(
  sequences: readonly (readonly number[])[],
  length: number,
  withoutPadding: boolean,
): DeviceBatch {
  const ids = new Int32Array(sequences.length * length);
  sequences.forEach((sequence, index) => ids.set(sequence, index * length));
  const batch = {
    order: sequences.map((_, index) => index),
    layout: wholeSequences(sequences.length, length),
    ids,
    positions: ids.map((_, place) => place % length),
    responseRows: sequences.map((sequence, index) => index * length + sequence.length - 1),
    tokens: [],
    places: sequences.flatMap((sequence, index) => sequence.map((_, position) => index * length + position)),
    responseLengths: sequences.map(() => 0),
  };
  return finish(batch, withoutPadding && batch.places.length < ids.length);
}

/** Splits the flat per-token values of a device batch into one array per sequence, at the caller's indices. */
export function scatterBySequence(batch: DeviceBatch, flat: Float32Array, into: Float32Array[]): void {
  let offset = 0;
  batch.order.forEach((index, row) => {
    into[index] = flat.slice(offset, offset + batch.responseLengths[row]);
    offset += batch.responseLengths[row];
  });
}

/** Inverse of `scatterBySequence`: concatenates per-sequence values in the token order of the device batch. */
export function gatherBySequence(batch: DeviceBatch, values: readonly ArrayLike<number>[]): Float32Array {
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
