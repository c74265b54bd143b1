/**
 * The shader that finds the most likely of the listed tokens; of equal ones, the lowest id. It writes the token to the
 * result and to the input of the next pass, as little-endian int32 or int64.
 */
import type { FloatType } from "../base/float-type.ts";
import { commonLogitsShader } from "./logits-wgsl.ts";
import { groupsPerPiece, headerWords, wordsPerPiece } from "./summary-layout.ts";

/** The value that a result has if there is no token. */
export const noToken = 0xffffffff;

const mostLikely = `
@group(0) @binding(2) var<storage, read_write> result: array<u32>;
@group(0) @binding(3) var<storage, read_write> ids: array<u32>;
var<workgroup> best: array<vec2u, ${groupsPerPiece}>;

const NO_TOKEN = ${noToken}u;

/** The larger key is ahead; with equal keys, the lower token id. */
fn isAhead(a: vec2u, b: vec2u) -> bool {
  return a.x > b.x || (a.x == b.x && a.y < b.y);
}

@compute @workgroup_size(${groupsPerPiece})
fn mostLikely(@builtin(local_invocation_index) lane: u32) {
  let list = ${headerWords}u + params.pieces * ${wordsPerPiece}u;
  let listed = min(result[0], params.most);
  var own = vec2u(0u, NO_TOKEN);
  for (var i = lane; i < listed; i += ${groupsPerPiece}u) {
    let entry = vec2u(keyOf(result[list + 2u * i + 1u]), result[list + 2u * i]);
    if (isAhead(entry, own)) { own = entry; }
  }
  best[lane] = own;
  workgroupBarrier();
  if (lane == 0u) {
    for (var i = 1u; i < ${groupsPerPiece}u; i++) {
      if (isAhead(best[i], own)) { own = best[i]; }
    }
    result[3] = own.y;
    ids[0] = select(own.y, 0u, own.y == NO_TOKEN);
    ids[1] = 0u;
  }
}
`;

/** The shader; its entry point has the kernel's name. */
export function mostLikelyShader(_: "mostLikely", type: FloatType): string {
  return commonLogitsShader(type) + mostLikely;
}
