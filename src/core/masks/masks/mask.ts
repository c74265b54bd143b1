/**
 * Computes the mask of a state: cached masks where they apply (string terminals, slices), and a walk for the other tokens. The
 * mask of a union is the union of its members' masks, so a string terminal keeps its cached mask beside other choices.
 */
import type { Automaton } from "../automaton/automaton.ts";
import {
  type Expression,
  headOf,
  type StringTerminalExpression,
  terminalOf,
} from "../automaton/expression-node.ts";
import { beginsWithTerminalOrListedBytes } from "../automaton/front.ts";
import { setByteIdenticalTokens } from "../vocabulary/token-bits.ts";
import { TokenList } from "../vocabulary/token-list.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { addTokensBelow, distinctMask, type OpenMask } from "./distinct-mask.ts";
import type { PlainRuns } from "./plain-run.ts";
import { stringTerminalMaskOf } from "./string-terminal-mask.ts";
import { type OpenNode, type Stop, stopAtOpen, walkTree } from "./walk.ts";

export interface MaskParts {
  readonly automaton: Automaton;
  readonly vocabulary: Vocabulary;
  readonly runs: PlainRuns;
}

/** A partly computed mask: cached masks, and single tokens. Nothing is known of the tokens below the nodes of `stop`. */
interface Sum {
  readonly ready: Uint32Array[];
  readonly found: TokenList;
  readonly stop: Stop;
}

const found = new TokenList();

/** The mask of a state: `vocabulary.words` words. Other callers may have the same array, so it must not be changed. @throws ConstraintLimitError */
export function makeMask(parts: MaskParts, state: number): Uint32Array {
  if (parts.automaton.remembers(state))
    return distinctMask(parts, state, (generalState) => openMask(parts, generalState, true));
  const { mask, open } = openMask(parts, state, false);
  if (open.length === 0) return mask;
  const whole = mask.slice();
  addTokensBelow(parts, state, { mask: whole, open });
  setByteIdenticalTokens(parts.vocabulary.byteIdenticalTokens, whole);
  return whole;
}

function openMask(parts: MaskParts, state: number, isGeneral: boolean): OpenMask {
  const open: OpenNode[] = [];
  const sum: Sum = { ready: [], found, stop: stopAtOpen(open, isGeneral) };
  found.length = 0;
  addState(parts, state, sum);
  return { mask: parts.vocabulary.sharedMasks.of(sum.ready, found), open };
}

function addState(parts: MaskParts, state: number, sum: Sum): void {
  const { automaton } = parts;
  const front = automaton.frontOf(state);
  const expression = automaton.expressionOf(front);
  const { beginnings } = headOf(expression);
  const terminal = terminalOf(expression);
  if (terminal !== null) addTerminal(parts, expression, terminal, sum);
  else if (beginnings === undefined && beginsWithTerminalOrListedBytes(expression))
    for (const each of automaton.alternativesOf(front)) addState(parts, each, sum);
  else addWalked(parts, front, state, sum);
}

/** Adds the cached mask of the string terminal, and walks the tokens that continue after its end. */
function addTerminal(
  { automaton, vocabulary }: MaskParts,
  expression: Expression,
  terminal: StringTerminalExpression,
  sum: Sum,
): void {
  const { mask, tree, exits } = stringTerminalMaskOf(vocabulary, terminal.body, automaton.expressions);
  sum.ready.push(mask);
  if (expression.kind !== "sequence" || exits.length === 0) return;
  const tail = automaton.stateOf(expression.tail);
  for (const node of exits) walkTree(automaton, tail, tree, sum.found, sum.stop, node);
}

function addWalked({ automaton, vocabulary, runs }: MaskParts, state: number, start: number, sum: Sum): void {
  const { slices, tree } = vocabulary;
  const { beginnings } = headOf(automaton.expressionOf(state));
  const run = beginnings !== undefined || automaton.seenByte(state) >= 0 ? null : runs.of(state);
  const slice = slices.find(run);
  if (slice) sum.ready.push(slice.mask);
  const rest = slice ? slice.rest : tree;
  const visited = walkTree(automaton, start, rest, sum.found, sum.stop);
  slices.spend(run, visited);
}
