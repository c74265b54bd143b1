/** Where a text can only go on in one way: those tokens, spelled as the tokenizer itself would spell them. */
import { type Automaton, DEAD } from "./automaton.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Most bytes that are forced at once. */
const MOST_BYTES = 4096;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function forcedTokens(
  automaton: Automaton,
  start: number,
  vocabulary: Vocabulary,
  before: readonly number[],
): readonly number[] {
  const { bytes, end } = forcedBytes(automaton, start);
  if (bytes.length === 0) return [];
  const earlier = before.flatMap((token) => [...(vocabulary.bytes[token] as Uint8Array)]);
  const tokens = spell(vocabulary, earlier, bytes) ?? [];
  const ends = automaton.isAccepting(end) && automaton.row(end).every((next) => next === DEAD);
  return ends ? tokens : withoutOpenEnd(automaton, start, vocabulary, tokens);
}

/** The bytes that must come next, up to a choice or a whole text. */
function forcedBytes(automaton: Automaton, start: number): { bytes: number[]; end: number } {
  const bytes: number[] = [];
  let state = start;
  while (bytes.length < MOST_BYTES && !automaton.isAccepting(state)) {
    const row = automaton.row(state);
    const byte = row.findIndex((next) => next !== DEAD);
    if (byte < 0 || row.some((next, other) => next !== DEAD && other !== byte)) break;
    bytes.push(byte);
    state = row[byte] as number;
  }
  return { bytes, end: state };
}

/** The tokenizer's own spelling of `bytes` after `earlier`; of `bytes` alone where it would spell what stands there otherwise. */
function spell(
  vocabulary: Vocabulary,
  earlier: readonly number[],
  bytes: readonly number[],
): number[] | null {
  const text = wholeCharacters(bytes);
  if (text === null) return null;
  const context = wholeCharacters(earlier);
  if (context !== null && context !== "") {
    const tokens = vocabulary.encode(context + text);
    let length = 0;
    for (const [index, token] of tokens.entries()) {
      if (length === earlier.length) return tokens.slice(index);
      length += (vocabulary.bytes[token] as Uint8Array).length;
      if (length > earlier.length) break;
    }
  }
  return vocabulary.encode(text);
}

/** The text of bytes, without a character that is begun at their end; null when they begin inside one. */
function wholeCharacters(bytes: readonly number[]): string | null {
  for (let cut = 0; cut < 4 && cut <= bytes.length; cut++) {
    try {
      return decoder.decode(Uint8Array.from(bytes.slice(0, bytes.length - cut)));
    } catch {
      // One byte less.
    }
  }
  return null;
}

/** Drops tokens at the end that a longer token, allowed here, could take the place of. */
function withoutOpenEnd(
  automaton: Automaton,
  start: number,
  vocabulary: Vocabulary,
  tokens: readonly number[],
): readonly number[] {
  let state = start;
  const total = tokens.reduce((sum, token) => sum + (vocabulary.bytes[token] as Uint8Array).length, 0);
  let offset = 0;
  for (const [index, token] of tokens.entries()) {
    if (reachesBeyond(automaton, state, vocabulary, total - offset)) return tokens.slice(0, index);
    for (const byte of vocabulary.bytes[token] as Uint8Array) state = automaton.step(state, byte);
    offset += (vocabulary.bytes[token] as Uint8Array).length;
  }
  return tokens;
}

/** Is there an allowed token of more than `length` bytes? */
function reachesBeyond(automaton: Automaton, start: number, { tree }: Vocabulary, length: number): boolean {
  const states: number[] = [start];
  let node = 1;
  while (node < tree.byte.length) {
    const level = tree.depth[node] as number;
    const next = automaton.step(states[level - 1] as number, tree.byte[node] as number);
    if (next === DEAD) {
      node = tree.after[node] as number;
      continue;
    }
    if (level > length && (tree.firstToken[node] as number) < (tree.firstToken[node + 1] as number))
      return true;
    states[level] = next;
    node++;
  }
  return false;
}
