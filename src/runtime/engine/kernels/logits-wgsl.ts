/**
 * The shaders over rows of logits. They compare integer keys made of a logit's bits, because WGSL lets compilers assume that
 * no float is NaN or infinite. The order of the keys is exactly the order of the numbers.
 *
 * A row is split into pieces of 1,024 tokens, one for each workgroup, and a piece into groups of 16, one for each thread.
 * The tokens of a group are 64 apart, so that threads read side by side. The threshold is the `wanted`-th largest of the
 * groups' largest logits. At least `wanted` tokens reach it, and usually few more, because the largest tokens seldom share a
 * group.
 *
 * There are few barriers: on software adapters a barrier takes longer than the work between two of them.
 */
import type { FloatType } from "../base/float-type.ts";
import { groupsPerPiece, headerWords, tokensPerPiece, wordsPerPiece } from "./summary-layout.ts";

/** Tokens of a group. */
export const tokensPerGroup: number = tokensPerPiece / groupsPerPiece;
/** Threads of a workgroup that works on a list. */
export const listThreads = 256;

/** The WGSL function that returns the logit at index `element` of the buffer, as the bits of a float32. */
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
  // A subnormal half is a multiple of 2^-24, which float32 represents exactly.
  return sign | bitcast<u32>(f32(fraction) * 5.9604644775390625e-8);
}`,
};

/** WGSL that all kernels share: the logits, the parameters, and the order of logits. */
export const commonLogitsShader = (type: FloatType): string => `
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

fn bitsOf(key: u32) -> u32 {
  return select(~key, key & 0x7fffffffu, (key >> 31u) == 1u);
}

fn numberOf(key: u32) -> f32 {
  return bitcast<f32>(bitsOf(key));
}

fn isBroken(bits: u32) -> bool {
  return (bits & 0x7fffffffu) > 0x7f800000u || bits == 0x7f800000u;
}
`;

/** Computes the sums of each piece and the largest key of each group. */
const summarize = `
@group(0) @binding(2) var<storage, read_write> tops: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<u32>;
var<workgroup> keys: array<u32, ${groupsPerPiece}>;
var<workgroup> sums: array<vec3f, ${groupsPerPiece}>;
var<workgroup> counts: array<vec2u, ${groupsPerPiece}>;

@compute @workgroup_size(${groupsPerPiece})
fn summarize(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let start = group.x * ${tokensPerPiece}u + lane;
  let row = params.first + group.y * params.vocabulary;
  var own: array<u32, ${tokensPerGroup}>;
  var count = vec2u(0u);
  var top = LOWEST;
  for (var i = 0u; i < ${tokensPerGroup}u; i++) {
    own[i] = LOWEST;
    let token = start + i * ${groupsPerPiece}u;
    if (token < params.vocabulary) {
      let bits = bitsAt(row + token);
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
  tops[group.y * params.groups + group.x * ${groupsPerPiece}u + lane] = top;
  workgroupBarrier();
  var largest = LOWEST;
  for (var i = 0u; i < ${groupsPerPiece}u; i++) { largest = max(largest, keys[i]); }
  var sum = vec3f(0.0);
  if (largest > LOWEST) {
    for (var i = 0u; i < ${tokensPerGroup}u; i++) {
      if (own[i] > LOWEST) {
        let d = max(numberOf(own[i]) - numberOf(largest), -1000.0);
        let weight = exp(d);
        sum += vec3f(weight, d * weight, exp(max(d * params.scale, -1000.0)));
      }
    }
  }
  sums[lane] = sum;
  workgroupBarrier();
  if (lane < 8u) {
    for (var i = 1u; i < ${groupsPerPiece / 8}u; i++) {
      sum += sums[lane + 8u * i];
      count += counts[lane + 8u * i];
    }
    sums[lane] = sum;
    counts[lane] = count;
  }
  workgroupBarrier();
  if (lane == 0u) {
    for (var i = 1u; i < 8u; i++) {
      sum += sums[i];
      count += counts[i];
    }
    let at = group.y * params.stride + ${headerWords}u + group.x * ${wordsPerPiece}u;
    result[at] = select(NEGATIVE_INFINITY, bitsOf(max(largest, LOWEST + 1u)), largest > LOWEST);
    result[at + 1u] = bitcast<u32>(sum.x);
    result[at + 2u] = bitcast<u32>(sum.y);
    result[at + 3u] = bitcast<u32>(sum.z);
    result[at + 4u] = count.x;
    result[at + 5u] = count.y;
  }
}
`;

/** Finds the threshold, four bits at a time from the highest: the largest key that at least \`wanted\` groups reach. */
const threshold = `
@group(0) @binding(2) var<storage, read> tops: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<u32>;
var<workgroup> digits: array<atomic<u32>, 128>;

@compute @workgroup_size(${listThreads})
fn threshold(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  var key = 0u;
  // Number of groups whose key is above the known bits.
  var above = 0u;
  for (var round = 0u; round < 8u; round++) {
    let shift = 28u - 4u * round;
    for (var i = lane; i < params.groups; i += ${listThreads}u) {
      let difference = tops[group.y * params.groups + i] ^ key;
      // Shifted in two steps, because WGSL does not define a shift by 32 bits.
      if (((difference >> shift) >> 4u) == 0u) { atomicAdd(&digits[16u * round + (difference >> shift)], 1u); }
    }
    workgroupBarrier();
    var digit = 15u;
    for (; digit > 0u; digit--) {
      let count = atomicLoad(&digits[16u * round + digit]);
      if (above + count >= params.wanted) { break; }
      above += count;
    }
    key |= digit << shift;
  }
  if (lane == 0u) {
    result[group.y * params.stride] = 0u;
    result[group.y * params.stride + 1u] = max(key, LOWEST + 1u);
  }
}
`;

/** Lists the tokens that reach the threshold, in no order, and the logit of the requested token. */
const collect = `
@group(0) @binding(2) var<storage, read> tops: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read> asked: array<u32>;

@compute @workgroup_size(${groupsPerPiece})
fn collect(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let start = group.x * ${tokensPerPiece}u + lane;
  let row = params.first + group.y * params.vocabulary;
  let header = group.y * params.stride;
  let list = header + ${headerWords}u + params.pieces * ${wordsPerPiece}u;
  let key = atomicLoad(&result[header + 1u]);
  let token = asked[group.y];
  if (group.x == 0u && lane == 0u && token < params.vocabulary) {
    atomicStore(&result[header + 2u], bitsAt(row + token));
  }
  if (tops[group.y * params.groups + group.x * ${groupsPerPiece}u + lane] < key) { return; }
  for (var i = 0u; i < ${tokensPerGroup}u; i++) {
    let token = start + i * ${groupsPerPiece}u;
    if (token < params.vocabulary) {
      let bits = bitsAt(row + token);
      if (!isBroken(bits) && keyOf(bits) >= key) {
        let place = atomicAdd(&result[header], 1u);
        if (place < params.most) {
          atomicStore(&result[list + 2u * place], token);
          atomicStore(&result[list + 2u * place + 1u], bits);
        }
      }
    }
  }
}
`;

/** Returns the logits of \`most\` tokens. */
const gather = `
@group(0) @binding(2) var<storage, read> asked: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(${listThreads})
fn gather(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < params.most) { result[id.x] = bitsAt(params.first + asked[id.x]); }
}
`;

/** Counts the mask's tokens whose logit is above -Infinity. */
const left = `
@group(0) @binding(2) var<storage, read> kept: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<atomic<u32>>;

@compute @workgroup_size(${groupsPerPiece})
fn left(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  var found = 0u;
  for (var i = 0u; i < ${tokensPerGroup}u; i++) {
    let token = group.x * ${tokensPerPiece}u + i * ${groupsPerPiece}u + lane;
    if (token < params.vocabulary && ((kept[token / 32u] >> (token % 32u)) & 1u) == 1u) {
      found += u32(bitsAt(params.first + token) != NEGATIVE_INFINITY);
    }
  }
  atomicAdd(&result[0], found);
}
`;

/** Writes the row as float32. If \`wanted\` is 1, tokens outside the mask get -Infinity. */
const mask = `
@group(0) @binding(2) var<storage, read> kept: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(${groupsPerPiece})
fn mask(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  for (var i = 0u; i < ${tokensPerGroup}u; i++) {
    let token = group.x * ${tokensPerPiece}u + i * ${groupsPerPiece}u + lane;
    if (token < params.vocabulary) {
      let isKept = params.wanted == 0u || ((kept[token / 32u] >> (token % 32u)) & 1u) == 1u;
      result[token] = select(NEGATIVE_INFINITY, bitsAt(params.first + token), isKept);
    }
  }
}
`;

/** Sets the logits of \`most\` tokens: pairs of a token and its logit's bits. No token occurs twice. */
const scatter = `
@group(0) @binding(2) var<storage, read> pairs: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(${listThreads})
fn scatter(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < params.most) { result[pairs[2u * id.x]] = pairs[2u * id.x + 1u]; }
}
`;

const bodies = { summarize, threshold, collect, gather, left, mask, scatter } as const;

export type LogitsKernelName = keyof typeof bodies;

/** The shader of a kernel, for logits of this type. Its entry point has the kernel's name. */
export function logitsShaderOf(name: LogitsKernelName, type: FloatType): string {
  return commonLogitsShader(type) + bodies[name];
}
