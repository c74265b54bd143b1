/**
 * The shaders that draw a token, by sums of integers (weight-wgsl.ts).
 *
 * The candidates are the tokens above a border: all tokens whose key is above the border's key, and the first `ties` (by id)
 * of the tokens with this key. A limit by number (top-k) or by mass (top-p) finds its border eight bits at a time:
 * `histogram` counts and weighs the tokens by the next eight bits of their keys, and `pick` takes the bits at which the
 * limit is reached. Then `weigh` sums the candidates' weights in each piece of the row, and `locate` walks to the drawn
 * token.
 */
import type { FloatType } from "../base/float-type.ts";
import { commonLogitsShader, tokensPerGroup } from "./logits-wgsl.ts";
import { groupsPerPiece, tokensPerPiece } from "./summary-layout.ts";
import { drawWeightWgsl } from "./weight-wgsl.ts";

/** Positions of the fields in `Chosen`, in words. A mass has two words, the lower one first. */
export const chosenFieldOffsets = {
  shift: 1,
  byMass: 5,
  borderKey: 6,
  whole: 10,
  lastKey: 12,
  lastTies: 13,
  lastAbove: 14,
  mass: 16,
  before: 18,
  candidates: 20,
  token: 21,
  logit: 22,
  place: 23,
} as const;
export const chosenStructWords = 24;
/** Words of a bin: the number of tokens, and their mass in two words. */
export const wordsPerBin = 3;
export const binCount = 256;
/** Words of a piece: the mass above the border, the number of tokens above it, and the number of tokens at it. */
export const wordsPerWeighedPiece = 4;

const chosen = `
struct Chosen {
  // The search: the known bits of the key, the position of the next bits, the mass above the known bits.
  prefix: u32, shift: u32, above: vec2u,
  count: u32, byMass: u32, borderKey: u32, borderTies: u32,
  goal: vec2u, whole: vec2u,
  lastKey: u32, lastTies: u32, lastAbove: vec2u,
  mass: vec2u, before: vec2u,
  candidates: u32, token: u32, logit: u32, place: u32,
}
`;

/** Computes the total weight of each piece. */
const weigh = `
@group(0) @binding(2) var<storage, read_write> pieces: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> chosen: Chosen;
var<workgroup> sums: array<vec4u, ${groupsPerPiece}>;

@compute @workgroup_size(${groupsPerPiece})
fn weigh(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum = vec4u(0u);
  for (var i = 0u; i < ${tokensPerGroup}u; i++) {
    let token = group.x * ${tokensPerPiece}u + i * ${groupsPerPiece}u + lane;
    if (token < params.vocabulary) {
      let bits = bitsAt(params.first + token);
      let key = keyOf(bits);
      if (key > chosen.borderKey) {
        sum = vec4u(plus(sum.xy, weightOf(bits)), sum.z + 1u, sum.w);
      } else if (key == chosen.borderKey) {
        sum.w += 1u;
      }
    }
  }
  sums[lane] = sum;
  workgroupBarrier();
  if (lane == 0u) {
    for (var i = 1u; i < ${groupsPerPiece}u; i++) { sum = vec4u(plus(sum.xy, sums[i].xy), sum.zw + sums[i].zw); }
    pieces[group.x] = sum;
  }
}
`;

/** Counts and weighs the tokens whose keys begin with the prefix, by the next eight bits of their keys. */
const histogram = `
@group(0) @binding(3) var<storage, read_write> chosen: Chosen;
@group(0) @binding(5) var<storage, read_write> bins: array<atomic<u32>, ${wordsPerBin * binCount}>;
var<workgroup> own: array<atomic<u32>, ${wordsPerBin * binCount}>;

@compute @workgroup_size(${groupsPerPiece})
fn histogram(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  for (var i = 0u; i < ${tokensPerGroup}u; i++) {
    let token = group.x * ${tokensPerPiece}u + i * ${groupsPerPiece}u + lane;
    if (token < params.vocabulary) {
      let bits = bitsAt(params.first + token);
      let key = keyOf(bits);
      let next = (key ^ chosen.prefix) >> chosen.shift;
      if (key >= told.least && (next >> 8u) == 0u) {
        atomicAdd(&own[3u * next], 1u);
        if (chosen.byMass == 1u) {
          let weight = weightOf(bits);
          let low = atomicAdd(&own[3u * next + 1u], weight.x);
          atomicAdd(&own[3u * next + 2u], weight.y + select(0u, 1u, low + weight.x < low));
        }
      }
    }
  }
  workgroupBarrier();
  for (var bin = lane; bin < ${binCount}u; bin += ${groupsPerPiece}u) {
    let count = atomicLoad(&own[3u * bin]);
    if (count > 0u) {
      atomicAdd(&bins[3u * bin], count);
      let sum = atomicLoad(&own[3u * bin + 1u]);
      let low = atomicAdd(&bins[3u * bin + 1u], sum);
      atomicAdd(&bins[3u * bin + 2u], atomicLoad(&own[3u * bin + 2u]) + select(0u, 1u, low + sum < low));
    }
  }
}
`;

/** Finds the next eight bits of the border's key. After the last bits, stores the border and prepares the next search. */
const pick = `
@group(0) @binding(2) var<storage, read_write> pieces: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> chosen: Chosen;
@group(0) @binding(5) var<storage, read_write> bins: array<u32, ${wordsPerBin * binCount}>;

fn isReached(count: u32, mass: vec2u) -> bool {
  if (chosen.byMass == 0u) { return count >= told.topK; }
  return !less(mass, chosen.goal);
}

/** How many tokens with this weight are candidates, beside the tokens above the border. */
fn tiesFor(weight: vec2u) -> u32 {
  if (chosen.byMass == 0u) { return told.topK - chosen.count; }
  var short = 0u;
  for (var bit = 21u; bit > 0u; bit--) {
    let more = short | (1u << (bit - 1u));
    if (less(plus(chosen.above, times(weight, more)), chosen.goal)) { short = more; }
  }
  return short + 1u;
}

fn begin() {
  var whole = vec2u(0u);
  for (var piece = 0u; piece < params.pieces; piece++) { whole = plus(whole, pieces[piece].xy); }
  whole = plus(whole, times(weightOf(bitsOf(chosen.borderKey)), chosen.borderTies));
  chosen.whole = whole;
  chosen.goal = shareOf(whole, told.topP);
  if (chosen.goal.x == 0u && chosen.goal.y == 0u) { chosen.goal.x = 1u; }
}

fn take(equal: u32) {
  // If there are fewer tokens than top-k allows, all of them are candidates.
  let key = max(chosen.prefix, told.least - 1u);
  let ties = min(equal, tiesFor(weightOf(bitsOf(key))));
  chosen.borderKey = key;
  chosen.borderTies = ties;
  chosen.lastKey = key;
  chosen.lastTies = ties;
  chosen.lastAbove = chosen.above;
  if ((chosen.byMass == 1u || told.topP == 0u) && told.floor >= key) {
    chosen.borderKey = told.floor;
    chosen.borderTies = 0u;
  }
  chosen.prefix = 0u;
  chosen.shift = 24u;
  chosen.above = vec2u(0u);
  chosen.count = 0u;
  chosen.byMass = 1u;
}

fn advance() {
  if (chosen.byMass == 1u && chosen.shift == 24u) { begin(); }
  var digit = ${binCount - 1}u;
  for (; digit > 0u; digit--) {
    let count = chosen.count + bins[3u * digit];
    let mass = plus(chosen.above, vec2u(bins[3u * digit + 1u], bins[3u * digit + 2u]));
    if (isReached(count, mass)) { break; }
    chosen.count = count;
    chosen.above = mass;
  }
  chosen.prefix |= digit << chosen.shift;
  if (chosen.shift > 0u) {
    chosen.shift -= 8u;
  } else {
    take(bins[3u * digit]);
  }
}

@compute @workgroup_size(${groupsPerPiece})
fn pick(@builtin(local_invocation_index) lane: u32) {
  if (lane == 0u) { advance(); }
  storageBarrier();
  for (var word = lane; word < ${wordsPerBin * binCount}u; word += ${groupsPerPiece}u) { bins[word] = 0u; }
}
`;

/** Finds the token at which the sum of the candidates' weights exceeds the drawn share of their mass. */
const locate = `
@group(0) @binding(2) var<storage, read_write> pieces: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> chosen: Chosen;
/** The weights of the piece's tokens. \`kinds\`: 1 for a token above the border, 2 for a token with the border's key. */
var<workgroup> weights: array<vec2u, ${tokensPerPiece}>;
var<workgroup> kinds: array<u32, ${tokensPerPiece}>;
var<workgroup> piece: u32;
var<workgroup> ties: u32;

@compute @workgroup_size(${groupsPerPiece})
fn locate(@builtin(local_invocation_index) lane: u32) {
  let atBorder = weightOf(bitsOf(chosen.borderKey));
  if (lane == 0u) {
    var mass = vec2u(0u);
    var count = 0u;
    var left = chosen.borderTies;
    for (var i = 0u; i < params.pieces; i++) {
      let taken = min(left, pieces[i].w);
      left -= taken;
      mass = plus(mass, plus(pieces[i].xy, times(atBorder, taken)));
      count += pieces[i].z + taken;
    }
    chosen.mass = mass;
    chosen.candidates = count;
    chosen.goal = shareOf(mass, told.draw);
    chosen.token = 0xffffffffu;
    var before = vec2u(0u);
    var place = 0u;
    left = chosen.borderTies;
    var found = 0u;
    for (; found < params.pieces; found++) {
      let taken = min(left, pieces[found].w);
      let above = plus(before, plus(pieces[found].xy, times(atBorder, taken)));
      if (less(chosen.goal, above)) { break; }
      before = above;
      place += pieces[found].z + taken;
      left -= taken;
    }
    chosen.before = before;
    chosen.place = place;
    piece = found;
    ties = left;
  }
  workgroupBarrier();
  for (var i = lane; i < ${tokensPerPiece}u; i += ${groupsPerPiece}u) {
    kinds[i] = 0u;
    let token = piece * ${tokensPerPiece}u + i;
    if (token < params.vocabulary) {
      let bits = bitsAt(params.first + token);
      let key = keyOf(bits);
      if (key >= chosen.borderKey) {
        kinds[i] = select(2u, 1u, key > chosen.borderKey);
        weights[i] = weightOf(bits);
      }
    }
  }
  workgroupBarrier();
  if (lane == 0u) {
    var left = ties;
    for (var i = 0u; i < ${tokensPerPiece}u; i++) {
      if (kinds[i] == 0u || (kinds[i] == 2u && left == 0u)) { continue; }
      if (kinds[i] == 2u) { left -= 1u; }
      let above = plus(chosen.before, weights[i]);
      if (less(chosen.goal, above)) {
        chosen.token = piece * ${tokensPerPiece}u + i;
        chosen.logit = bitsAt(params.first + chosen.token);
        break;
      }
      chosen.before = above;
      chosen.place += 1u;
    }
  }
}
`;

const bodies = { weigh, histogram, pick, locate } as const;

export type TokenDrawKernelName = keyof typeof bodies;

/** The shader of a kernel, for logits of this type. Its entry point has the kernel's name. */
export function tokenDrawShaderOf(name: TokenDrawKernelName, type: FloatType): string {
  return commonLogitsShader(type) + drawWeightWgsl + chosen + bodies[name];
}
