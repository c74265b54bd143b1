/**
 * Computes the mask of a state: cached masks where they apply (string terminals, slices), and a walk for the other tokens. The
 * mask of a union is the union of its members' masks, so a string terminal keeps its cached mask beside other choices.
 */
import type { Automaton } from "../automaton/automaton.ts";
import { type Expression, headOf, terminalOf } from "../automaton/expression-node.ts";
import { beginsWithTerminalOrListedBytes } from "../automaton/front.ts";
import { setByteIdenticalTokens } from "../vocabulary/token-bits.ts";
import { TokenList } from "../vocabulary/token-list.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { addTokensBelow, distinctMask, type OpenMask, type OpenNode } from "./distinct-mask.ts";
import type { PlainRuns } from "./plain-run.ts";
import { stringTerminalMaskOf } from "./string-terminal-mask.ts";
import { stopAtOpen, walkBelow, walkTree } from "./walk.ts";

export interface MaskParts {
  readonly automaton: Automaton;
  readonly vocabulary: Vocabulary;
  readonly runs: PlainRuns;
}

/** A partly computed mask: cached masks, and single tokens. */
interface Sum {
  readonly ready: Uint32Array[];
  readonly found: TokenList;
  /** Nodes at which a `distinct` begins: nothing is known of the tokens below them. */
  readonly open: OpenNode[];
  /** The state remembers no texts, but others may have been before. */
  readonly isGeneral: boolean;
}

const found = new TokenList();

/** The mask of a state: `vocabulary.words` words. Other callers may have the same array, so it must not be changed. @throws ConstraintLimitError */
export function makeMask(parts: MaskParts, state: number): Uint32Array {
  if (parts.automaton.remembers(state)) return distinctMask(parts, state, openMask);
  const { mask, open } = openMask(parts, state, false);
  if (open.length === 0) return mask;
  const whole = mask.slice();
  addTokensBelow(parts, state, { mask: whole, open });
  setByteIdenticalTokens(parts.vocabulary.byteIdenticalTokens, whole);
  return whole;
}

function openMask(parts: MaskParts, state: number, isGeneral: boolean): OpenMask {
  const sum: Sum = { ready: [], found, open: [], isGeneral };
  found.length = 0;
  addState(parts, state, sum);
  return { mask: parts.vocabulary.sharedMasks.of(sum.ready, found), open: sum.open };
}

function addState(parts: MaskParts, state: number, sum: Sum): void {
  const { automaton } = parts;
  const front = automaton.frontOf(state);
  const expression = automaton.expressionOf(front);
  const { beginnings } = headOf(expression);
  if (terminalOf(expression) !== null) addTerminal(parts, expression, sum);
  else if (beginnings === undefined && beginsWithTerminalOrListedBytes(expression))
    for (const each of automaton.alternativesOf(front)) addState(parts, each, sum);
  else addWalked(parts, front, sum);
}

/** Adds the cached mask of the string terminal, and walks the tokens that continue after its end. */
function addTerminal({ automaton, vocabulary }: MaskParts, expression: Expression, sum: Sum): void {
  const terminal = terminalOf(expression);
  if (terminal === null) return;
  const { mask, tree, exits } = stringTerminalMaskOf(vocabulary, terminal.body, automaton.expressions);
  sum.ready.push(mask);
  if (expression.kind !== "sequence" || exits.length === 0) return;
  const tail = automaton.stateOf(expression.tail);
  const open: number[] = [];
  for (const node of exits)
    walkBelow(automaton, tail, tree, node, sum.found, stopAtOpen(open, sum.isGeneral));
  for (const node of open) sum.open.push({ tree, node });
}

function addWalked({ automaton, vocabulary, runs }: MaskParts, state: number, sum: Sum): void {
  const { slices, tree } = vocabulary;
  const { beginnings } = headOf(automaton.expressionOf(state));
  const run = beginnings !== undefined || automaton.seenByte(state) >= 0 ? null : runs.of(state);
  const slice = slices.find(run);
  if (slice) sum.ready.push(slice.mask);
  const rest = slice ? slice.rest : tree;
  const open: number[] = [];
  const visited = walkTree(automaton, state, rest, sum.found, stopAtOpen(open, sum.isGeneral));
  for (const node of open) sum.open.push({ tree: rest, node });
  slices.spend(run, visited);
}
