/** 32 bits by which a trace tells two edits of logits apart. The same on every machine. */
import type { SparseLogitsEdit } from "../sdk/action.ts";

const scratch = new DataView(new ArrayBuffer(4));

/**
 * Of what is asked, in its order. Numbers to add count as float32: browsers do not agree on the last bits of Math.exp, from
 * which a mod may have them. `hidden`: the token that is sampled is hidden too.
 */
export function digestOf({ mask, only, ban, add }: SparseLogitsEdit, hidden: boolean): number {
  let hash = hidden ? 1 : 0;
  // The steps of MurmurHash3 (Appleby, 2011), x86, 32 bits.
  const take = (word: number): void => {
    let bits = Math.imul(word, 0xcc9e2d51);
    bits = Math.imul((bits << 15) | (bits >>> 17), 0x1b873593);
    hash ^= bits;
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  };
  const takeAll = (name: number, words: Uint32Array | readonly number[] | undefined): void => {
    if (!words) return;
    take(name);
    take(words.length);
    for (const word of words) take(word);
  };
  takeAll(1, mask);
  takeAll(2, only);
  takeAll(3, ban);
  if (add) {
    take(4);
    for (const [token, value] of Object.entries(add)) {
      take(Number(token));
      scratch.setFloat32(0, value);
      take(scratch.getInt32(0));
    }
  }
  return hash >>> 0;
}
