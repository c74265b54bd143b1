/**
 * Masks for texts that have to differ (distinct.ts). Each byte leads to a new state, so a mask that is cached by state would
 * never be used again. The general state remembers no texts and occurs again and again. Its mask is cached, but allows too
 * much: the few tokens that lead to a text in `seen` are removed from a copy.
 * Example: `uniqueItems` with items `^[abc]{1,2}$`, after `["ab","a`. Spaces separate the tokens:
 *
 *     vocabulary     a  b  c  ab  "  b"  "]  ","  ","a  ","ab  b","
 *     general mask   a  b  c  "  b"  "]  ","  ","a  ","ab  b","      `ab` would make three letters
 *     tokens         ","  ","a  ","ab  b","                          end this text and begin the next one
 *     bytesToSeen    b                                               the first byte on the way to `"ab"`
 *     mask           a  c  "  "]  ","  ","a
 *
 * `distinctMask` walks `tokens` from the exact state (`","ab` and `b","` lead nowhere), and steps through all tokens that
 * begin with a byte of `bytesToSeen` (`b` and `b"` lead nowhere). `tokens` is empty for items of any string.
 * Before the array no text is remembered, but the token `["` reaches into one: `addTokensBelow` adds such tokens.
 */
import { type Automaton, DEAD } from "../automaton/automaton.ts";
import { hasByte, isEmptySet } from "../automaton/byte-set.ts";
import { isFreeToBegin } from "../automaton/count-texts.ts";
import { bytesToSeen } from "../automaton/distinct.ts";
import { type Expression, headOf } from "../automaton/expression-node.ts";
import { getOrCreate } from "../automaton/get-or-create.ts";
import { clearToken, setByteIdenticalTokens, setToken } from "../vocabulary/token-bits.ts";
import { TokenList } from "../vocabulary/token-list.ts";
import type { Tree } from "../vocabulary/tree.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { type OpenNode, stopAtOpen, walkTree } from "./walk.ts";

interface Parts {
  readonly automaton: Automaton;
  readonly vocabulary: Vocabulary;
}

/** A mask of all allowed tokens except those below the nodes of `open`: at these nodes a `distinct` begins, whose text is remembered. */
export interface OpenMask {
  /** Other states may have the same array. */
  readonly mask: Uint32Array;
  readonly open: readonly OpenNode[];
}

interface GeneralMask {
  /** Callers must not change it. */
  readonly mask: Uint32Array;
  /** Tokens of the mask that end the present text and begin the next one: the remembered texts decide whether such a token is allowed. */
  readonly tokens: readonly number[];
}

/** The number of cached general masks, by vocabulary and automaton. */
const MASKS_KEPT = 200;

const byVocabulary = new WeakMap<Vocabulary, WeakMap<Automaton, Map<Expression, GeneralMask>>>();

function generalMaskOf(parts: Parts, state: number, plain: () => OpenMask): GeneralMask {
  const { automaton, vocabulary } = parts;
  const byAutomaton = getOrCreate(byVocabulary, vocabulary, () => new WeakMap());
  const masks = getOrCreate(byAutomaton, automaton, () => new Map());
  if (masks.size >= MASKS_KEPT) masks.clear();
  return getOrCreate(masks, automaton.expressionOf(state), () => makeGeneralMask(parts, state, plain()));
}

function makeGeneralMask(parts: Parts, state: number, { mask: known, open }: OpenMask): GeneralMask {
  if (open.length === 0) return { mask: known, tokens: [] };
  const mask = known.slice();
  const tokens: number[] = [];
  for (const { tree, node } of open) {
    const at = walkTo(parts, state, tree, node);
    walkExactly(parts.automaton, at, tree, node, (token, next) => {
      setToken(mask, token);
      // No seen text can forbid a token after which infinitely many texts are possible.
      const isFree = isFreeToBegin(parts.automaton, headOf(parts.automaton.expressionOf(next)));
      if (!isFree) tokens.push(token);
    });
  }
  setByteIdenticalTokens(parts.vocabulary.byteIdenticalTokens, mask);
  return { mask, tokens };
}

/**
 * The mask of a state that remembers. Other states may share the array, so callers must not change it.
 * @param plain makes the mask of a general state
 */
export function distinctMask(
  parts: Parts,
  state: number,
  plain: (generalState: number) => OpenMask,
): Uint32Array {
  const { automaton, vocabulary } = parts;
  const generalState = automaton.generalOf(state);
  const general = generalMaskOf(parts, generalState, () => plain(generalState));
  const bytes = bytesToSeen(automaton.expressions, automaton.derivatives, automaton.expressionOf(state));
  if (general.tokens.length === 0 && isEmptySet(bytes)) return general.mask;
  const mask = general.mask.slice();
  const { texts, tree } = vocabulary;
  for (const token of general.tokens) {
    const end = automaton.walk(state, texts.bytes, texts.start[token], texts.start[token + 1]);
    if (end === DEAD) clearToken(mask, token);
  }
  for (let byte = 0; byte < 256; byte++) {
    const node = tree.first[byte] as number;
    if (node >= 0 && hasByte(bytes, byte)) dropSeenAt(automaton, state, tree, node, mask);
  }
  setByteIdenticalTokens(vocabulary.byteIdenticalTokens, mask);
  return mask;
}

/** Adds the allowed tokens below the open nodes to the mask of a state, without tokens of equal bytes. Changes the mask. */
export function addTokensBelow(parts: Parts, state: number, { mask, open }: OpenMask): void {
  for (const { tree, node } of open) addBelow(parts, walkTo(parts, state, tree, node), tree, node, mask);
}

/** Adds the tokens below a node that are allowed in the state there, which remembers. */
function addBelow(parts: Parts, state: number, tree: Tree, node: number, mask: Uint32Array): void {
  const { automaton } = parts;
  const open: OpenNode[] = [];
  const found = new TokenList();
  walkTree(automaton, automaton.generalOf(state), tree, found, stopAtOpen(open, true), node);
  found.mark(mask);
  const depth = (tree.head[node] as number) >>> 8;
  // At these nodes the next text begins. The general state forgets the texts before, so the exact state decides there.
  for (const { node: inner } of open) {
    const at = walkTo(parts, state, tree, inner, depth);
    if (at === DEAD) clearAt(tree, inner, inner + 1, mask);
    else walkExactly(automaton, at, tree, inner, (token) => setToken(mask, token));
  }
  dropSeenBelow(automaton, state, tree, node, mask);
}

/** The state at a node, computed from the state of the node above it at `depth`. */
function walkTo({ automaton, vocabulary }: Parts, from: number, tree: Tree, node: number, depth = 0): number {
  // The first token at or below the node has the bytes of the node's way.
  let named = node;
  while ((tree.token[named] as number) < 0) named++;
  const { bytes, start } = vocabulary.texts;
  const begin = start[tree.token[named] as number] as number;
  return automaton.walk(from, bytes, begin + depth, begin + ((tree.head[node] as number) >>> 8));
}

/** Finds the tokens below a node that are allowed from `state` on, step by step. */
function walkExactly(
  automaton: Automaton,
  state: number,
  tree: Tree,
  node: number,
  found: (token: number, state: number) => void,
): void {
  const end = tree.after[node] as number;
  for (let child = node + 1; child < end; child = tree.after[child] as number) {
    const next = automaton.step(state, (tree.head[child] as number) & 255);
    if (next === DEAD) continue;
    const token = tree.token[child] as number;
    if (token >= 0) found(token, next);
    walkExactly(automaton, next, tree, child, found);
  }
}

/** Removes the tokens below a node that lead to a seen text from the mask. `state` is the state at the node. */
function dropSeenBelow(
  automaton: Automaton,
  state: number,
  tree: Tree,
  node: number,
  mask: Uint32Array,
): void {
  const bytes = bytesToSeen(automaton.expressions, automaton.derivatives, automaton.expressionOf(state));
  if (isEmptySet(bytes)) return;
  const end = tree.after[node] as number;
  for (let child = node + 1; child < end; child = tree.after[child] as number) {
    if (hasByte(bytes, (tree.head[child] as number) & 255)) dropSeenAt(automaton, state, tree, child, mask);
  }
}

/** `state` is the state at the node above. */
function dropSeenAt(automaton: Automaton, state: number, tree: Tree, node: number, mask: Uint32Array): void {
  const next = automaton.step(state, (tree.head[node] as number) & 255);
  if (next === DEAD) clearAt(tree, node, tree.after[node] as number, mask);
  else dropSeenBelow(automaton, next, tree, node, mask);
}

function clearAt(tree: Tree, from: number, to: number, mask: Uint32Array): void {
  for (let node = from; node < to; node++) {
    const token = tree.token[node] as number;
    if (token >= 0) clearToken(mask, token);
  }
}
