/**
 * A 32-bit digest with which a replay notices that an edit of logits differs from the recorded edit. The digest is the same
 * on every machine.
 */

import { Murmur } from "../../base/murmur.ts";
import type { SparseLogitsEdit } from "../../sdk/action.ts";
import type { TokenId } from "../../sdk/request.ts";

const scratch = new DataView(new ArrayBuffer(4));

/**
 * A digest of the edit, in the mod's order. Added numbers count as float32: browsers differ in the last bits of
 * Math.exp, which a mod may use. `hidden`: the sampled token is hidden too.
 */
export function digestOfLogitsEdit({ mask, only, ban, add }: SparseLogitsEdit, hidden: boolean): number {
  const hash = new Murmur(hidden ? 1 : 0);
  const takeAll = (name: number, words: Uint32Array | readonly number[] | undefined): void => {
    if (!words) return;
    hash.take(name);
    hash.take(words.length);
    for (const word of words) hash.take(word);
  };
  takeAll(1, mask);
  takeAll(2, only);
  takeAll(3, ban);
  if (add) {
    hash.take(4);
    for (const [token, value] of Object.entries(add)) {
      hash.take(Number(token));
      scratch.setFloat32(0, value);
      hash.take(scratch.getInt32(0));
    }
  }
  return hash.value;
}

/** The digest of the continuations that a mod has scored. A replay compares it with the recorded digest. */
export function continuationsDigest(continuations: readonly (readonly TokenId[])[]): number {
  const hash = new Murmur(5);
  for (const tokens of continuations) {
    hash.take(tokens.length);
    for (const token of tokens) hash.take(token);
  }
  return hash.value;
}
