/**
 * Philox4x32-10 and standard Gumbel noise in WGSL, identical to src/base/random.ts and the reference sampler.
 *
 * WGSL has no 64-bit product, so 16-bit parts yield its high half. A draw x gives u = ((x >> 8) + 0.5) / 2^24, and the
 * noise is -log(-log u). Values near u = 1 need care: f32 cannot represent u there, and WGSL allows `log` an absolute
 * error of 2^-21 near 1, which is as large as -log u itself. The upper half therefore uses t = 1 - u, which is exact,
 * and -log(1 - t) = 2 artanh(t / (2 - t)) with eight terms of the series (t <= 1/2).
 */
export const PHILOX = `
fn multiply_high(a: u32, b: u32) -> u32 {
  let a_low = a & 0xffffu; let a_high = a >> 16u;
  let b_low = b & 0xffffu; let b_high = b >> 16u;
  let middle = a_high * b_low + ((a_low * b_low) >> 16u);
  let carry = a_low * b_high + (middle & 0xffffu);
  return a_high * b_high + (middle >> 16u) + (carry >> 16u);
}

fn philox(counter: vec4<u32>, key: vec2<u32>) -> vec4<u32> {
  var c = counter;
  var k = key;
  for (var round = 0u; round < 10u; round++) {
    c = vec4<u32>(
      multiply_high(0xcd9e8d57u, c.z) ^ c.y ^ k.x, 0xcd9e8d57u * c.z,
      multiply_high(0xd2511f53u, c.x) ^ c.w ^ k.y, 0xd2511f53u * c.x,
    );
    k += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
  }
  return c;
}`;

export const GUMBEL = `
fn gumbel(draw: u32) -> f32 {
  let k = draw >> 8u;
  var surprise: f32; // -log u
  if (k < 0x800000u) {
    surprise = -log((f32(k) + 0.5) * ${2 ** -24});
  } else {
    let t = (f32(0xffffffu - k) + 0.5) * ${2 ** -24};
    let r = t / (2.0 - t);
    let q = r * r;
    let series = 1.0 + q * (${1 / 3} + q * (0.2 + q * (${1 / 7} + q * (${1 / 9} + q * (${1 / 11}
      + q * (${1 / 13} + q * ${1 / 15}))))));
    surprise = 2.0 * r * series;
  }
  return -log(surprise);
}`;
