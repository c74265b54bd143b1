/**
 * The shaders over rows of logits. A logit is handled by its bits: WGSL lets a compiler assume that there are neither NaN nor
 * infinite floats, and the order of the keys made of them is that of the numbers, exactly.
 *
 * A row is cut into pieces of 1,024 tokens, one for a workgroup, and those into groups of 32. The threshold is the `wanted`-th
 * largest of the groups' largest logits: at least so many tokens reach it, and as a rule not many more, since the largest
 * tokens seldom share a group.
 */
import type { FloatType } from "../decoder-graph.ts";

export const pieceTokens = 1024;
export const groupTokens = 32;
/** Words before a row's pieces in a result: how many tokens are listed, the threshold's key, the bits of the logit that was asked for, one that is spare. */
export const headerWords = 4;
/** largest, weight, weighted, scaled: the bits of floats; then how many logits are finite, and how many are NaN or +Infinity. */
export const pieceWords = 6;

const threads = 256;
const perThread = pieceTokens / threads;
const threadsPerGroup = groupTokens / perThread;

/** Bits of the logit number `element` of the buffer, as a float32. */
const bitsOfType: Record<FloatType, string> = {
  float32: "fn bitsAt(element: u32) -> u32 { return logits[element]; }",
  float16: `
fn bitsAt(element: u32) -> u32 {
  let half = (logits[element >> 1u] >> ((element & 1u) * 16u)) & 0xffffu;
  let sign = (half & 0x8000u) << 16u;
  let exponent = (half >> 10u) & 0x1fu;
  let fraction = half & 0x3ffu;
  if (exponent == 31u) { return sign | 0x7f800000u | (fraction << 13u); }
  if (exponent != 0u) { return sign | ((exponent + 112u) << 23u) | (fraction << 13u); }
  // Below the smallest normal number: a multiple of 2^-24, which float32 has exactly.
  return sign | bitcast<u32>(f32(fraction) * 5.9604644775390625e-8);
}`,
};

const common = (type: FloatType) => `
struct Params {
  vocabulary: u32,
  first: u32,
  pieces: u32,
  groups: u32,
  wanted: u32,
  most: u32,
  stride: u32,
  scale: f32,
}
@group(0) @binding(0) var<storage, read> logits: array<u32>;
@group(0) @binding(1) var<uniform> params: Params;

const NEGATIVE_INFINITY = 0xff800000u;
const LOWEST = 0x007fffffu;

${bitsOfType[type]}

fn keyOf(bits: u32) -> u32 {
  let plain = select(bits, 0u, bits == 0x80000000u);
  return select(plain | 0x80000000u, ~plain, (plain >> 31u) == 1u);
}

fn numberOf(key: u32) -> f32 {
  return bitcast<f32>(select(~key, key & 0x7fffffffu, (key >> 31u) == 1u));
}

fn isBroken(bits: u32) -> bool {
  return (bits & 0x7fffffffu) > 0x7f800000u || bits == 0x7f800000u;
}
`;

/** Sums of each piece, and the largest key of each group. */
const summarize = `
@group(0) @binding(2) var<storage, read_write> tops: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<u32>;
var<workgroup> keys: array<u32, ${threads}>;
var<workgroup> sums: array<vec3f, ${threads}>;
var<workgroup> counts: array<vec2u, ${threads}>;

@compute @workgroup_size(${threads})
fn summarize(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let start = group.x * ${pieceTokens}u + lane * ${perThread}u;
  let row = params.first + group.y * params.vocabulary;
  var own: array<u32, ${perThread}>;
  var count = vec2u(0u);
  var top = 0u;
  for (var i = 0u; i < ${perThread}u; i++) {
    own[i] = LOWEST;
    if (start + i < params.vocabulary) {
      let bits = bitsAt(row + start + i);
      if (isBroken(bits)) {
        count.y += 1u;
      } else if (bits != NEGATIVE_INFINITY) {
        own[i] = keyOf(bits);
        count.x += 1u;
      }
    }
    top = max(top, own[i]);
  }
  keys[lane] = top;
  counts[lane] = count;
  workgroupBarrier();
  if (lane % ${threadsPerGroup}u == 0u) {
    for (var i = 1u; i < ${threadsPerGroup}u; i++) { top = max(top, keys[lane + i]); }
    tops[group.y * params.groups + group.x * ${pieceTokens / groupTokens}u + lane / ${threadsPerGroup}u] = top;
  }
  workgroupBarrier();
  for (var half = ${threads / 2}u; half > 0u; half /= 2u) {
    if (lane < half) {
      keys[lane] = max(keys[lane], keys[lane + half]);
      counts[lane] += counts[lane + half];
    }
    workgroupBarrier();
  }
  let largest = keys[0];
  var sum = vec3f(0.0);
  if (largest > LOWEST) {
    for (var i = 0u; i < ${perThread}u; i++) {
      if (own[i] > LOWEST) {
        let d = numberOf(own[i]) - numberOf(largest);
        let weight = exp(max(d, -1000.0));
        sum += vec3f(weight, max(d, -1000.0) * weight, exp(max(d * params.scale, -1000.0)));
      }
    }
  }
  sums[lane] = sum;
  workgroupBarrier();
  for (var half = ${threads / 2}u; half > 0u; half /= 2u) {
    if (lane < half) { sums[lane] += sums[lane + half]; }
    workgroupBarrier();
  }
  if (lane == 0u) {
    let at = group.y * params.stride + ${headerWords}u + group.x * ${pieceWords}u;
    result[at] = select(NEGATIVE_INFINITY, bitcast<u32>(numberOf(max(largest, LOWEST + 1u))), largest > LOWEST);
    result[at + 1u] = bitcast<u32>(sums[0].x);
    result[at + 2u] = bitcast<u32>(sums[0].y);
    result[at + 3u] = bitcast<u32>(sums[0].z);
    result[at + 4u] = counts[0].x;
    result[at + 5u] = counts[0].y;
  }
}
`;

/** The threshold, bit by bit from above: the largest key that \`wanted\` groups reach. */
const threshold = `
@group(0) @binding(2) var<storage, read> tops: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<u32>;
var<workgroup> reached: array<atomic<u32>, 32>;

@compute @workgroup_size(${threads})
fn threshold(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  var key = 0u;
  for (var bit = 0u; bit < 32u; bit++) {
    let higher = key | (0x80000000u >> bit);
    var count = 0u;
    for (var i = lane; i < params.groups; i += ${threads}u) {
      count += select(0u, 1u, tops[group.y * params.groups + i] >= higher);
    }
    atomicAdd(&reached[bit], count);
    workgroupBarrier();
    key = select(key, higher, atomicLoad(&reached[bit]) >= params.wanted);
  }
  if (lane == 0u) {
    result[group.y * params.stride] = 0u;
    result[group.y * params.stride + 1u] = max(key, LOWEST + 1u);
  }
}
`;

/** Lists the tokens that reach the threshold, in no order, and the logit of the token that is asked for. */
const collect = `
@group(0) @binding(2) var<storage, read> tops: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read> asked: array<u32>;

@compute @workgroup_size(${threads})
fn collect(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let start = group.x * ${pieceTokens}u + lane * ${perThread}u;
  let row = params.first + group.y * params.vocabulary;
  let header = group.y * params.stride;
  let list = header + ${headerWords}u + params.pieces * ${pieceWords}u;
  let key = atomicLoad(&result[header + 1u]);
  let token = asked[group.y];
  if (token >= start && token < start + ${perThread}u && token < params.vocabulary) {
    atomicStore(&result[header + 2u], bitsAt(row + token));
  }
  let top = tops[group.y * params.groups + group.x * ${pieceTokens / groupTokens}u + lane / ${threadsPerGroup}u];
  if (top < key) { return; }
  for (var i = 0u; i < ${perThread}u; i++) {
    if (start + i < params.vocabulary) {
      let bits = bitsAt(row + start + i);
      if (!isBroken(bits) && keyOf(bits) >= key) {
        let place = atomicAdd(&result[header], 1u);
        if (place < params.most) {
          atomicStore(&result[list + 2u * place], start + i);
          atomicStore(&result[list + 2u * place + 1u], bits);
        }
      }
    }
  }
}
`;

/** The logits of some tokens: \`most\` of them. */
const gather = `
@group(0) @binding(2) var<storage, read> asked: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(${threads})
fn gather(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < params.most) { result[id.x] = bitsAt(params.first + asked[id.x]); }
}
`;

/** How many keys are at least \`wanted\`. */
const count = `
@group(0) @binding(3) var<storage, read_write> result: array<atomic<u32>>;

@compute @workgroup_size(${threads})
fn count(@builtin(global_invocation_id) id: vec3u) {
  let start = id.x * ${perThread}u;
  var found = 0u;
  for (var i = 0u; i < ${perThread}u; i++) {
    if (start + i < params.vocabulary && keyOf(bitsAt(params.first + start + i)) >= params.wanted) { found += 1u; }
  }
  atomicAdd(&result[0], found);
}
`;

/** The row as float32, less what the mask takes out where \`wanted\` is 1. */
const mask = `
@group(0) @binding(2) var<storage, read> kept: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(${threads})
fn mask(@builtin(global_invocation_id) id: vec3u) {
  for (var i = 0u; i < ${perThread}u; i++) {
    let token = id.x * ${perThread}u + i;
    if (token < params.vocabulary) {
      let isKept = params.wanted == 0u || ((kept[token / 32u] >> (token % 32u)) & 1u) == 1u;
      result[token] = select(NEGATIVE_INFINITY, bitsAt(params.first + token), isKept);
    }
  }
}
`;

/** Sets the logits of \`most\` tokens: pairs of a token and its logit's bits. No token stands there twice. */
const scatter = `
@group(0) @binding(2) var<storage, read> pairs: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(${threads})
fn scatter(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < params.most) { result[pairs[2u * id.x]] = pairs[2u * id.x + 1u]; }
}
`;

const bodies = { summarize, threshold, collect, gather, count, mask, scatter } as const;

export type KernelName = keyof typeof bodies;
export const kernelNames = Object.keys(bodies) as readonly KernelName[];

/** Threads of a workgroup, of those that go through a list. */
export const listThreads = threads;

/** The shader of one kernel, over logits of this type. Its entry point has the kernel's name. */
export function shaderOf(name: KernelName, type: FloatType): string {
  return common(type) + bodies[name];
}
