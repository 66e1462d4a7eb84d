/**
 * Sequences of unequal length as device batches, which one pass takes at once: the rows of a micro-batch, cut by what the
 * device holds. Padding stands on the right, lengths are rounded up to a bucket, so that few shapes ever reach the GPU (its buffer pool keeps buffers by exact size).
 *
 * Where neighbouring sequences share their prompt, as the samples of one prompt do, the prompt is there once for all
 * of them: all its tokens but the last stand in rows of their own, and each sequence is a branch that begins with the
 * prompt's last token. The last token of a sequence predicts nothing and is left out.
 *
 * On wasm and cpu the padding is taken out again, since shapes cost nothing there: no row of it reaches another one, so that
 * no sum has other terms than zeros less. Which sequences run together, and so the order of sums, is decided with it.
 */
import { MarbleError } from '../base/error';
import { blockFloats } from '../base/rows-at-once';
import type { ModelConfig } from './config';
import { paddedRows, type RowLayout } from './row-layout';

export interface DeviceBatch {
  /** Index of each sequence in the caller's list. */
  order: number[];
  layout: RowLayout;
  /** [rows] token ids, padding 0. */
  ids: Int32Array;
  /** [rows] position of each row in its sequence; padding has the last one's. */
  positions: Int32Array;
  /** Rows that predict a response token: sequence by sequence, in order, so ascending. */
  responseRows: number[];
  /** The token each of those rows is to predict. */
  responseTokens: Int32Array;
  /** How many response tokens each sequence of `order` has. */
  responseLengths: number[];
}

export interface BatchLimits {
  /** Rows of a device batch at most, padding included; one sequence always fits. */
  tokenBudget: number;
  /** Lengths are rounded up to a multiple of it. */
  bucket: number;
  /** Leaves out the rows of padding in the end. */
  withoutPadding: boolean;
}

interface Group {
  members: number[];
  promptLength: number;
  longest: number;
}

/**
 * Padded tokens of one device batch, by the width of the widest activation: keeps a block's recompute near 64 MB on a GPU.
 * The CPU takes more, so that the samples of a prompt stay together and read it once.
 */
export function tokenBudget(config: ModelConfig, onGpu: boolean): number {
  const numbers = onGpu ? 16e6 : 40e6;
  return Math.max(512, Math.floor(numbers / (4 * config.intermediateSize + 8 * config.hiddenSize)));
}

/** Most bytes that a GPU keeps so that blocks need not run again. */
const MOST_TAPES = 128e6;

/** Bytes of all blocks of a batch of so many rows, where a GPU keeps them from forward to backward; 0 where it does not. */
export function tapesKept(config: ModelConfig, rows: number): number {
  const bytes = 4 * rows * config.layers * blockFloats(config);
  return bytes <= MOST_TAPES ? bytes : 0;
}

/** Most padded prompt tokens that are read at once, and the most arithmetic: what a card at 1 TFLOP/s does within a second. */
const PREFILL_TOKENS = 8192;
const PREFILL_FLOPS = 750e9;

/** Padded tokens of the prompts that are read before the device is waited for; one prompt always is. */
export function prefillTokens(config: ModelConfig): number {
  const { layers, hiddenSize, heads, kvHeads, headDim, intermediateSize } = config;
  const weights = layers * hiddenSize * (2 * (heads + kvHeads) * headDim + 3 * intermediateSize);
  return Math.min(PREFILL_TOKENS, Math.floor(PREFILL_FLOPS / (2 * weights)));
}

/** On a GPU lengths are rounded up to a multiple of it. */
export function lengthBucket({ hiddenSize }: ModelConfig): number {
  return hiddenSize >= 512 ? 64 : 16;
}

export function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}

/**
 * Splits sequences into device batches, longest first, so that each holds sequences of like length.
 *
 * @param promptLengths how many leading tokens of each sequence are given, at least 1
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
  units.sort((a, b) => b.longest - a.longest || a.members[0] - b.members[0]);
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
    const before = last === undefined ? [] : sequences[last.members[0]];
    const same =
      last?.promptLength === promptLength &&
      before.slice(0, promptLength).every((id, t) => id === sequence[t]);
    if (same) {
      last.members.push(index);
      last.longest = Math.max(last.longest, sequence.length);
    } else {
      groups.push({ members: [index], promptLength, longest: sequence.length });
    }
  });
  return groups;
}

/** Groups of equal parts, each within the budget where a smaller divisor of `samples` makes that possible. */
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

/** Tokens of each sequence of a unit that stand in the rows of its prompt: all but the last, where it is shared. */
const sharedTokens = ({ members, promptLength }: Group): number =>
  members.length > 1 ? promptLength - 1 : 0;

/** Prompts that are shared once, then a row for each token of every sequence that follows. */
function layoutOf(units: readonly Group[], bucket: number): RowLayout {
  const samples = units[0].members.length;
  const prefixLengths = units.map(sharedTokens);
  const branches = { samples, prefixLengths };
  return {
    batch: units.length * samples,
    length: roundUp(Math.max(1, ...units.map((unit) => unit.longest - 1 - sharedTokens(unit))), bucket),
    prompts: samples > 1 ? { length: roundUp(Math.max(...prefixLengths), bucket), branches } : null,
  };
}

/** With its padding, and the places of the rows that are none. */
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
  /** Puts tokens into the first of `room` rows from `start` on. `first` and `last` are positions; padding has the last. */
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
  const prefix = prompts?.length ?? 0;
  units.forEach((unit, group) => {
    const shared = sharedTokens(unit);
    addRows(sequences[unit.members[0]].slice(0, shared), [0, shared], group * prefix, prefix);
  });
  let start = units.length * prefix;
  for (const unit of units) {
    const first = sharedTokens(unit);
    for (const index of unit.members) {
      const sequence = sequences[index];
      // the last token predicts nothing; a prompt alone has its last one all the same
      const tokens = sequence.slice(first, Math.max(first + 1, sequence.length - 1));
      addRows(tokens, [first, sequence.length - 1], start, length);
      // the row of the prompt's last token predicts the first response token
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

function finish({ tokens, places: added, ...batch }: OpenBatch, withoutPadding: boolean): DeviceBatch {
  const responseTokens = Int32Array.from(tokens);
  if (!withoutPadding) return { ...batch, responseTokens };
  const places = added.sort((a, b) => a - b);
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

/** Cuts the flat per-token values of a device batch into one array per sequence, at the caller's indices. */
export function scatterBySequence(batch: DeviceBatch, flat: Float32Array, into: Float32Array[]): void {
  let offset = 0;
  batch.order.forEach((index, row) => {
    into[index] = flat.slice(offset, offset + batch.responseLengths[row]);
    offset += batch.responseLengths[row];
  });
}

/** The inverse: per-sequence values in the device batch's token order. */
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
