/**
 * WGSL that reads four neighbouring values of one row of a matrix as f32, whatever the matrix is stored as.
 *
 * A packed bf16 value is the upper half of an f32: shifting it up is exact and needs no optional feature. int8 values
 * are multiplied by the scale of their group. Where 4 divides the row length one load brings all four values;
 * elsewhere each is read alone, and those past the end of the row are zero.
 */
import type { Element } from '../../gpu/kernel';

export type WeightFormat = 'f32' | 'bf16' | 'int8';

/** The element type to bind a matrix with. */
export function storedAs(format: WeightFormat, aligned: boolean): Element {
  if (!aligned) return format === 'f32' ? 'f32' : 'u32';
  return format === 'f32' ? 'vec4<f32>' : format === 'bf16' ? 'vec2<u32>' : 'u32';
}

/**
 * Defines `fn load_<name>(row: u32, column: u32) -> vec4<f32>` over the binding `name`. `column` is a multiple of 4.
 *
 * @param stride WGSL expression of the row length
 * @param aligned whether 4 divides the row length (and the group of int8)
 */
export function loadFour(name: string, format: WeightFormat, aligned: boolean, stride: string): string {
  const header = `fn load_${name}(row: u32, column: u32) -> vec4<f32> {`;
  if (!aligned) {
    const value = { f32: `${name}[e]`, bf16: bf16Value(name), int8: int8Value(name) }[format];
    const each = [0, 1, 2, 3].map(
      (z) =>
        `if (column + ${z}u < ${stride}) { let e = row * ${stride} + column + ${z}u; values[${z}] = ${value}; }`,
    );
    const scale = format === 'int8' ? groupScale(`(e - row * ${stride})`) : '';
    return `${header}
  var values = vec4<f32>(0.0);
  ${each.join('\n  ').replaceAll('SCALE', scale)}
  return values;
}`;
  }
  const index = `(row * ${stride} + min(column, ${stride} - 4u)) >> 2u`;
  if (format === 'f32') return `${header} return ${name}[${index}]; }`;
  if (format === 'bf16') {
    return `${header}
  let w = ${name}[${index}];
  return vec4<f32>(bitcast<f32>(w.x << 16u), bitcast<f32>(w.x & 0xffff0000u),
                   bitcast<f32>(w.y << 16u), bitcast<f32>(w.y & 0xffff0000u));
}`;
  }
  return `${header}
  let w = bitcast<i32>(${name}[${index}]);
  let bytes = vec4<i32>((w << 24u) >> 24u, (w << 16u) >> 24u, (w << 8u) >> 24u, w >> 24u);
  return vec4<f32>(bytes) * ${groupScale(`min(column, ${stride} - 4u)`)};
}`;
}

function bf16Value(name: string): string {
  return `bitcast<f32>(select(${name}[e >> 1u] << 16u, ${name}[e >> 1u] & 0xffff0000u, (e & 1u) == 1u))`;
}

function int8Value(name: string): string {
  return `f32((bitcast<i32>(${name}[e >> 2u]) << (24u - 8u * (e & 3u))) >> 24u) * SCALE`;
}

/** The scale of the group that holds `column` of `row`. */
function groupScale(column: string): string {
  return `scales[row * uniforms.groups + ${column} / uniforms.group]`;
}
