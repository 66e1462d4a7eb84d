/**
 * WGSL that reads four adjacent values of a matrix row as f32, for any storage format.
 *
 * A packed bf16 value is the upper half of an f32, so a shift converts it exactly and needs no optional feature. If the
 * row length is a multiple of 4, one load reads all four values. Otherwise each value is read separately, and values
 * past the end of the row are zero.
 */
import type { Element } from '../../gpu/kernel';

/** Storage format of weights. Packed bf16 takes half the memory of f32 and is frozen. */
export type WeightFormat = 'f32' | 'bf16';

/** Element type of a matrix's binding. */
export function storedAs(format: WeightFormat, aligned: boolean): Element {
  if (!aligned) return format === 'f32' ? 'f32' : 'u32';
  return format === 'f32' ? 'vec4<f32>' : 'vec2<u32>';
}

/**
 * Defines `fn load_<name>(row: u32, column: u32) -> vec4<f32>` over the binding `name`. `column` is a multiple of 4.
 *
 * @param stride WGSL expression of the row length
 * @param aligned true if the row length is a multiple of 4
 */
export function loadFour(name: string, format: WeightFormat, aligned: boolean, stride: string): string {
  const header = `fn load_${name}(row: u32, column: u32) -> vec4<f32> {`;
  if (!aligned) {
    const value = format === 'f32' ? `${name}[e]` : bf16Value(name);
    const each = [0, 1, 2, 3].map(
      (z) =>
        `if (column + ${z}u < ${stride}) { let e = row * ${stride} + column + ${z}u; values[${z}] = ${value}; }`,
    );
    return `${header}
  var values = vec4<f32>(0.0);
  ${each.join('\n  ')}
  return values;
}`;
  }
  const index = `(row * ${stride} + min(column, ${stride} - 4u)) >> 2u`;
  if (format === 'f32') return `${header} return ${name}[${index}]; }`;
  return `${header}
  let w = ${name}[${index}];
  return vec4<f32>(bitcast<f32>(w.x << 16u), bitcast<f32>(w.x & 0xffff0000u),
                   bitcast<f32>(w.y << 16u), bitcast<f32>(w.y & 0xffff0000u));
}`;
}

function bf16Value(name: string): string {
  return `bitcast<f32>(select(${name}[e >> 1u] << 16u, ${name}[e >> 1u] & 0xffff0000u, (e & 1u) == 1u))`;
}

/**
 * Defines `fn store_<name>(row: u32, column: u32, value: vec4<f32>)`, the inverse of `load_<name>`. bf16 rounds to
 * nearest, ties to even, and requires a row length that is a multiple of 4.
 *
 * @param columns the row length
 */
export function storeFour(name: string, format: WeightFormat, columns: number): string {
  const header = `fn store_${name}(row: u32, column: u32, value: vec4<f32>) {`;
  const four = `${name}[(row * ${columns}u + column) >> 2u]`;
  if (format === 'bf16') {
    return `fn nearest_bf16(value: vec4<f32>) -> vec4<u32> {
  let bits = bitcast<vec4<u32>>(value);
  return (bits + 0x7fffu + ((bits >> vec4<u32>(16u)) & vec4<u32>(1u))) >> vec4<u32>(16u);
}
${header}
  let h = nearest_bf16(value);
  ${four} = vec2<u32>(h.x | (h.y << 16u), h.z | (h.w << 16u));
}`;
  }
  if (columns % 4 === 0) return `${header} ${four} = value; }`;
  const each = [0, 1, 2, 3].map(
    (z) => `if (column + ${z}u < ${columns}u) { ${name}[row * ${columns}u + column + ${z}u] = value[${z}]; }`,
  );
  return `${header}
  ${each.join('\n  ')}
}`;
}
