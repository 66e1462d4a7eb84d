/**
 * WGSL kernels of `sampleHead`. The first multiplies by the head's weights and keeps the logits in registers. Each
 * workgroup reduces its block of the vocabulary to five numbers per row: the largest logit, the sum of exponentials
 * relative to it, and the best score with its token and logit. A second kernel merges the blocks in order and leaves
 * finished rows unchanged.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Kernel } from '../../gpu/kernel';
import { defineKernel, emptyTensor, foldedWorkgroups, memoize, runKernel } from '../../gpu/kernel';
import type { Weight } from '../lib/weight';
import { COLUMNS, range, type ProductVariant, type Tile } from '../matmul/variant';
import { PRODUCT_UNIFORMS, productSource } from '../matmul/wgsl';
import { adapterTraits, storedMatrix } from '../matmul';
import { rowBlocks } from '../lib/row-blocks';
import { GUMBEL, PHILOX } from '../lib/philox.wgsl';
import { SAMPLING_KEY, type Ended, type SampledTokens, type SampleOptions } from './sampling';

/** Numbers per row and vocabulary block. */
const FIELDS = 5;

/** `merged` combines the statistics of two blocks. The first of equal scores wins. */
const STATISTIC = `
struct Statistic { largest: f32, sum: f32, score: f32, token: f32, logit: f32 }
fn nothing() -> Statistic { return Statistic(-3.0e38, 0.0, -3.0e38, 1.0e9, 0.0); }
fn merged(a: Statistic, b: Statistic) -> Statistic {
  var result = a;
  result.largest = max(a.largest, b.largest);
  result.sum = a.sum * exp(a.largest - result.largest) + b.sum * exp(b.largest - result.largest);
  if (b.score > a.score || (b.score == a.score && b.token < a.token)) {
    result.score = b.score;
    result.token = b.token;
    result.logit = b.logit;
  }
  return result;
}`;

const blockKernel = memoize((variant: Pick<ProductVariant, 'format' | 'tile' | 'aligned'>): Kernel => {
  const { tile } = variant;
  const { inputs, declarations, body } = productSource({ ...variant, direction: 'nt', rowsFirst: true });
  const tileRows = tile.rows * tile.down;
  // The merge uses loops over rows and tokens. Unrolled, it takes a driver longer to compile than all other kernels.
  const fours = range(tile.rows).map((i) => `c${i}`);
  const reduction = `
      let logits = array<vec4<f32>, ${fours.length}>(${fours.join(', ')});
      for (var i = 0u; i < ${tile.rows}u; i++) {
        var s = nothing();
        let row_id = u32(row_ids[min(first_row + i, uniforms.m - 1u)]);
        let z = uniforms.scale * logits[i];
        var draws = vec4<u32>(0u);
        if (uniforms.greedy == 0u) {
          draws = philox(vec4<u32>(first_column >> 2u, uniforms.position, row_id, uniforms.stream),
            vec2<u32>(uniforms.seed, uniforms.sampling_key));
        }
        for (var t = 0u; t < 4u; t++) {
          if (first_column + t >= uniforms.n) { break; }
          var score = z[t];
          if (uniforms.greedy == 0u) { score += gumbel(draws[t]); }
          s = merged(s, Statistic(z[t], 1.0, score, f32(first_column + t), z[t]));
        }
        partials[(local.y * ${tile.rows}u + i) * ${tile.across}u + local.x] = s;
      }`;
  return defineKernel({
    name: `sample head ${variant.format}`,
    inputs: { ...inputs, row_ids: 'i32' },
    outputs: { blocks: 'f32' },
    uniforms: {
      ...PRODUCT_UNIFORMS,
      position: 'u32',
      stream: 'u32',
      seed: 'u32',
      sampling_key: 'u32',
      greedy: 'u32',
      count: 'u32',
    },
    workgroupSize: [tile.across, tile.down, 1],
    declarations: [
      declarations,
      STATISTIC,
      PHILOX + GUMBEL,
      `var<workgroup> partials: array<Statistic, ${tileRows * tile.across}>;`,
    ].join('\n'),
    body: `${body}
      ${reduction}
      workgroupBarrier();
      for (var r = lane; r < ${tileRows}u; r += ${tile.across * tile.down}u) {
        let row = group.x * ${tileRows}u + r;
        if (row >= uniforms.m) { continue; }
        var s = partials[r * ${tile.across}u];
        for (var t = 1u; t < ${tile.across}u; t++) { s = merged(s, partials[r * ${tile.across}u + t]); }
        let at = (row * uniforms.count + uniforms.first / ${COLUMNS * tile.across}u + group.y) * ${FIELDS}u;
        blocks[at] = s.largest;
        blocks[at + 1u] = s.sum;
        blocks[at + 2u] = s.score;
        blocks[at + 3u] = s.token;
        blocks[at + 4u] = s.logit;
      }`,
  });
});

const THREADS = 32;

/** Merges the blocks of each row. A row whose newest token is a stop id repeats it with log-probability 0. */
const mergeKernel = defineKernel({
  name: 'merge samples',
  inputs: { blocks: 'f32', newest: 'i32', stop_ids: 'i32' },
  outputs: { tokens: 'i32', logprobs: 'f32' },
  uniforms: { rows: 'u32', count: 'u32', stops: 'u32' },
  workgroupSize: [THREADS, 1, 1],
  declarations: `${STATISTIC}
    var<workgroup> partials: array<Statistic, ${THREADS}>;`,
  body: `
    let row = folded;
    if (row >= uniforms.rows) { return; }
    var s = nothing();
    for (var block = lane; block < uniforms.count; block += ${THREADS}u) {
      let at = (row * uniforms.count + block) * ${FIELDS}u;
      s = merged(s, Statistic(blocks[at], blocks[at + 1u], blocks[at + 2u], blocks[at + 3u], blocks[at + 4u]));
    }
    partials[lane] = s;
    workgroupBarrier();
    if (lane > 0u) { return; }
    for (var i = 0u; i < uniforms.stops; i++) {
      if (newest[row] == stop_ids[i]) {
        tokens[row] = newest[row];
        logprobs[row] = 0.0;
        return;
      }
    }
    for (var t = 1u; t < ${THREADS}u; t++) { s = merged(s, partials[t]); }
    tokens[row] = i32(s.token);
    logprobs[row] = s.logit - s.largest - log(s.sum);`,
});

/** Tile for few rows and many columns. Its staged halves and partial results together fit in 16 KiB. */
function headTile(rows: number, isSoftware: boolean): Tile {
  const down = Math.min(4, Math.ceil(rows / 4));
  return { kind: isSoftware ? 'register' : 'workgroup', rows: 4, across: 16, down };
}

export function sampleHeadWgsl(
  h: tf.Tensor2D,
  head: Weight,
  rowIds: tf.Tensor1D,
  options: SampleOptions,
  ended?: Ended,
): SampledTokens {
  const [rows, width] = h.shape;
  const matrix = storedMatrix(head);
  const greedy = options.temperature <= 0;
  const tile = headTile(rows, adapterTraits().isSoftware);
  const count = Math.ceil(head.outputs / (COLUMNS * tile.across));
  const kernel = blockKernel({
    format: head.format,
    tile,
    aligned: { m: true, n: true, k: width % 4 === 0 },
  });
  const tokens = emptyTensor<tf.Rank.R1>([rows], 'int32');
  const logprobs = emptyTensor<tf.Rank.R1>([rows]);
  tf.tidy(() => {
    const blocks = emptyTensor<tf.Rank.R3>([rows, count, FIELDS]);
    for (const bound of rowBlocks(matrix, adapterTraits())) {
      runKernel(kernel, {
        inputs: { a: h, b: bound.data, row_ids: rowIds },
        outputs: { blocks },
        uniforms: {
          m: rows,
          n: head.outputs,
          k: width,
          part: width,
          first: bound.first,
          scale: greedy ? 1 : 1 / options.temperature,
          position: options.position,
          stream: options.stream,
          seed: options.seed,
          sampling_key: SAMPLING_KEY,
          greedy: greedy ? 1 : 0,
          count,
        },
        workgroups: [
          Math.ceil(rows / (tile.rows * tile.down)),
          Math.ceil(bound.count / (COLUMNS * tile.across)),
          1,
        ],
        flops: 2 * rows * bound.count * width,
      });
    }
    runKernel(mergeKernel, {
      inputs: { blocks, newest: ended?.newest ?? null, stop_ids: ended?.stopIds ?? null },
      outputs: { tokens, logprobs },
      uniforms: { rows, count, stops: ended?.stopIds.size ?? 0 },
      workgroups: foldedWorkgroups(rows),
    });
  });
  return { tokens, logprobs };
}
