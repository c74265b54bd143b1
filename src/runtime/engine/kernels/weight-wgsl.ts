/**
 * Weights of tokens as integers, for shaders. In float32, sums of 151,936 weights are too coarse to say which token a draw
 * hits. So a weight is a fixed-point number with 42 fractional bits, and the most likely token has the weight 1.0. Sums have
 * 64 bits, so the order of adding does not change them. A weight is 2^-y, where y = (largest - logit) · log2(e) /
 * temperature is computed in fixed point too.
 */

/** Fractional bits of a token's weight in a draw. */
export const drawWeightFractionBits = 42;

/** The fields of the shaders' struct `Told`. */
export interface TokenDrawParameters {
  /** log2(e) / temperature as scale · 2^-shift; the highest bit of scale is set. */
  readonly scale: number;
  readonly shift: number;
  /** Bits of the largest logit. */
  readonly largest: number;
  /** Tokens with a lower key have no weight. */
  readonly least: number;
  readonly topK: number;
  /** As a fraction of 2^32; 0 for no top-p. */
  readonly topP: number;
  /** The lowest border key that the search may end with: only tokens above it are candidates. */
  readonly floor: number;
  /** The random number from 0 to 1, as a fraction of 2^32. */
  readonly draw: number;
}

/** (ln 2 / 16)^k / k! as a fraction of 2^32. */
const series = Array.from({ length: 5 }, (_, i) => {
  const factorial = [1, 2, 6, 24, 120][i] as number;
  return `${Math.round(((Math.LN2 / 16) ** (i + 1) / factorial) * 2 ** 32)}u`;
});
/** 2^(-j / 16) as a fraction of 2^32, for j from 0 to 15. The first would be 2^32, which does not fit, so it is 0. */
const powers = Array.from({ length: 16 }, (_, j) => `${j === 0 ? 0 : Math.round(2 ** (32 - j / 16))}u`);

/** The WGSL function `weightOf` (the weight of a logit's bits), sums of weights, and the parameters of the shaders. */
export const drawWeightWgsl = `
struct Told {
  scale: u32, shift: u32, largest: u32, least: u32,
  topK: u32, topP: u32, floor: u32, draw: u32,
}
@group(0) @binding(4) var<storage, read> told: Told;

fn less(a: vec2u, b: vec2u) -> bool { return a.y < b.y || (a.y == b.y && a.x < b.x); }

fn plus(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn minus(a: vec2u, b: vec2u) -> vec2u {
  return vec2u(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn product(a: u32, b: u32) -> vec2u {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let first = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let second = (a & 0xffffu) * (b >> 16u) + (first & 0xffffu);
  return vec2u((second << 16u) | (low & 0xffffu), (a >> 16u) * (b >> 16u) + (first >> 16u) + (second >> 16u));
}

fn upper(a: u32, b: u32) -> u32 { return product(a, b).y; }

fn times(a: vec2u, count: u32) -> vec2u {
  let low = product(a.x, count);
  return vec2u(low.x, low.y + a.y * count);
}

/** Multiplies a weight by share / 2^32. */
fn shareOf(a: vec2u, share: u32) -> vec2u {
  return plus(product(a.y, share), vec2u(product(a.x, share).y, 0u));
}

/** The number as fixed point with 32 fractional bits, in two's complement. Numbers below 2^21 fit. */
fn fixed(bits: u32) -> vec2u {
  let exponent = (bits >> 23u) & 255u;
  if (exponent < 95u) { return vec2u(0u); }
  let fraction = (bits & 0x7fffffu) | 0x800000u;
  var size = vec2u(fraction >> ((118u - exponent) & 31u), 0u);
  if (exponent >= 118u) {
    let left = (exponent - 118u) & 31u;
    size = vec2u(fraction << left, (fraction >> 1u) >> (31u - left));
  }
  if ((bits >> 31u) == 1u) { return minus(vec2u(0u), size); }
  return size;
}

const powers = array<u32, 16>(${powers.join(", ")});

fn weightOf(bits: u32) -> vec2u {
  let d = minus(fixed(told.largest), fixed(bits));
  let low = product(d.x, told.scale);
  let high = plus(product(d.y, told.scale), vec2u(low.y, 0u));
  // y = (low.x, high.x, high.y) >> shift, which is between 24 and 42.
  var y = vec2u(high.x, high.y);
  if (told.shift < 32u) {
    y = vec2u((low.x >> told.shift) | (high.x << (32u - told.shift)), (high.x >> told.shift) | (high.y << (32u - told.shift)));
  } else if (told.shift > 32u) {
    let right = told.shift - 32u;
    y = vec2u((high.x >> right) | (high.y << (32u - right)), high.y >> right);
  }
  if (y.y >= ${drawWeightFractionBits}u) { return vec2u(0u); }
  // 2^-t/16 = 1 - rest, by its series; then 2^-j/16.
  let t = y.x << 4u;
  let j = y.x >> 28u;
  let rest = upper(t, ${series[0]} - upper(t, ${series[1]} - upper(t, ${series[2]} - upper(t, ${series[3]} - upper(t, ${series[4]})))));
  var fraction = vec2u(powers[j] - upper(rest, powers[j]), 0u);
  if (j == 0u) { fraction = vec2u(0u - rest, select(0u, 1u, rest == 0u)); }
  let left = ${drawWeightFractionBits - 32}u;
  if (y.y <= left) {
    let shift = left - y.y;
    return vec2u(fraction.x << shift, (fraction.y << shift) | ((fraction.x >> 1u) >> (31u - shift)));
  }
  let right = y.y - left;
  return vec2u((fraction.x >> right) | (fraction.y << (32u - right)), 0u);
}
`;
