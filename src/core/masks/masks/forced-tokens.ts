/** The tokens that have to come next, in the tokenizer's spelling. */
import { type Automaton, DEAD } from "../automaton/automaton.ts";
import { decodeWhole } from "../vocabulary/canonical.ts";
import type { Tree } from "../vocabulary/tree.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { childOf } from "./walk.ts";

/** The most bytes that are forced at once. */
const MOST_BYTES = 512;

/**
 * The forced tokens, for at most `MOST_BYTES` bytes. A tokenizer reads a text as a whole, so the last tokens may change when more text follows. In byte-pair
 * encoding, the text before a border between two tokens is spelled as if it stood alone, because no merge crosses the border. So
 * for every place where the token across the open end may begin, the text before that place is spelled; the tokens that all
 * spellings share are forced. The text before the forced text ends at a border for the same reason, so the code does not look at
 * that text.
 */
export function forcedTokens(automaton: Automaton, start: number, vocabulary: Vocabulary): readonly number[] {
  const { bytes, end } = forcedBytes(automaton, start);
  if (bytes.length === 0) return [];
  let agreed: readonly number[] | null = null;
  for (const place of placesOfLastToken(automaton, end, bytes, vocabulary)) {
    const tokens = spell(vocabulary, bytes.subarray(0, place));
    agreed = agreed === null ? tokens : commonStart(agreed, tokens);
    if (agreed.length === 0) break;
  }
  return agreed ?? [];
}

/** The bytes that must come next, up to a choice or a whole text. */
function forcedBytes(automaton: Automaton, start: number): { bytes: Uint8Array; end: number } {
  const bytes: number[] = [];
  let state = start;
  while (bytes.length < MOST_BYTES && !automaton.isAccepting(state)) {
    const byte = automaton.onlyByte(state);
    // No text has the byte 0xff. Some vocabularies write special tokens with it, and no text is spelled across a special
    // token.
    if (byte < 0 || byte === 0xff) break;
    bytes.push(byte);
    state = automaton.step(state, byte);
  }
  return { bytes: Uint8Array.from(bytes), end: state };
}

/** The end of the forced bytes, and every place at which the remaining forced bytes begin a longer token that is allowed. */
function placesOfLastToken(
  automaton: Automaton,
  end: number,
  bytes: Uint8Array,
  { tree, longest }: Vocabulary,
): number[] {
  const places = [bytes.length];
  if (automaton.onlyByte(end) === -2) return places;
  for (let place = bytes.length - 1; place >= 0 && bytes.length - place < longest; place--) {
    const node = find(tree, bytes, place);
    if (node >= 0 && allowsBelow(automaton, end, tree, node)) places.push(place);
  }
  return places;
}

/** The node of the bytes from `place` on; -1 if no token begins with them. */
function find(tree: Tree, bytes: Uint8Array, place: number): number {
  let node = tree.first[bytes[place] as number] as number;
  for (let at = place + 1; at < bytes.length && node >= 0; at++)
    node = childOf(tree, node, bytes[at] as number);
  return node;
}

/** Whether a token below the node is allowed: its further bytes are allowed from the state on. */
function allowsBelow(
  automaton: Automaton,
  start: number,
  { head, after, token }: Tree,
  top: number,
): boolean {
  const base = (head[top] as number) >>> 8;
  const states = [start];
  const end = after[top] as number;
  let node = top + 1;
  while (node < end) {
    const level = ((head[node] as number) >>> 8) - base;
    const next = automaton.step(states[level - 1] as number, (head[node] as number) & 255);
    if (next === DEAD) {
      node = after[node] as number;
      continue;
    }
    if ((token[node] as number) >= 0) return true;
    states[level] = next;
    node++;
  }
  return false;
}

/** The tokenizer's own spelling of exactly these bytes; empty if the tokenizer changes the text, for example by normalizing it. */
function spell(vocabulary: Vocabulary, bytes: Uint8Array): readonly number[] {
  const tokens = vocabulary.encode(wholeCharacters(bytes));
  let length = 0;
  for (const [index, token] of tokens.entries()) {
    const text = vocabulary.bytesOf(token);
    for (let at = 0; at < text.length; at++)
      if (text[at] !== bytes[length + at]) return tokens.slice(0, index);
    if (text.length === 0) return tokens.slice(0, index);
    length += text.length;
  }
  return tokens;
}

/** The text of the bytes, without an incomplete character at the end; empty if the bytes begin inside a character. */
function wholeCharacters(bytes: Uint8Array): string {
  for (let cut = 0; cut < 4 && cut < bytes.length; cut++) {
    const text = decodeWhole(bytes.subarray(0, bytes.length - cut));
    if (text !== null) return text;
  }
  return "";
}

function commonStart(a: readonly number[], b: readonly number[]): readonly number[] {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}
