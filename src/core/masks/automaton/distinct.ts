/**
 * Texts that have to differ (`uniqueItems`). A `distinct` expression remembers the texts before the present one (`seen`) and
 * the bytes of the present one (`written`). `taken` is what is left of the seen texts that begin with `written`. The present
 * text must not end where `taken` allows the empty text. Example: an array of strings that differ. `seen` is `"ab"`:
 *
 *     text so far   written   taken     what may follow
 *     ["ab",        nothing   "ab"      a string other than "ab"
 *     ["ab","a      "a        b"        `bc"` and `"`, but not `b"`
 *     ["ab","ab     "ab       "         any character, but not `"`
 *     ["ab","x      "x        nothing   any rest of a string: the bytes are only kept until the item ends
 *
 * - Each byte makes another `written`, so each byte leads to a state of its own. The general state (`forgetSeenTexts`) recurs.
 * - When the present text ends, it joins `seen`, and `sequel.after(seen)` is the language after it.
 * - The texts must end visibly: no text of `body` is the beginning of another one followed by a byte of the sequel.
 */

import type { Followed, Span } from "./beginnings.ts";
import { areDisjoint, type ByteSet, byteSet, firstByte, hasByte, invert } from "./byte-set.ts";
import type { Expressions } from "./expression.ts";
import {
  blankFields,
  type DistinctExpression,
  type DistinctMemory,
  type Expression,
  NO,
  type Sequel,
  type WrittenBytes,
} from "./expression-node.ts";
import { followTerminal } from "./front.ts";
import { mixHash } from "./hash.ts";
import type { DerivativeStep } from "./partition.ts";

/** The methods of derivatives that this file calls. */
interface Steps {
  isNullable(expression: Expression): boolean;
  steps(expression: Expression): readonly DerivativeStep[];
}

/** The hash of this kind of expression: expression.ts has those of the others. */
const KIND = 12;

/**
 * A text of `body` that is not in `seen`, followed by what `sequel` returns for `seen` and this text. @param body regular; no
 * text of `body` is the beginning of another one followed by a byte of the sequel
 * @param seen a union of literals
 */
export function distinctText(
  expressions: Expressions,
  body: Expression,
  seen: Expression,
  sequel: Sequel,
): Expression {
  return distinctOf(expressions, body, { taken: seen, written: null, seen, sequel });
}

export function createSequel({ nothing }: Expressions, after: Sequel["after"]): Sequel {
  let general: Expression | undefined;
  return {
    after,
    general: () => {
      general ??= after(nothing);
      return general;
    },
  };
}

function distinctOf(expressions: Expressions, body: Expression, distinct: DistinctMemory): Expression {
  const { taken, written, seen, sequel } = distinct;
  if (body.kind === "nothing") return body;
  // The text can only end here. It is refused if it is a seen text.
  if (body.kind === "empty")
    return taken.nullable === NO ? ended(expressions, distinct) : expressions.nothing;
  const hash = mixHash(mixHash(mixHash(KIND, body.id), taken.id), seen.id);
  return expressions.intern({
    ...blankFields("distinct", mixHash(hash, written?.hash ?? 0)),
    body,
    distinct: { taken, written, seen, sequel },
    certain: body.certain && taken.kind === "nothing",
    remembers: true,
    least: body.least + 1,
  });
}

/** The language after the present text, if the text ends here and is new. */
function ended(expressions: Expressions, { written, seen, sequel }: DistinctMemory): Expression {
  return sequel.after(withText(expressions, seen, bytesOf(written)));
}

/**
 * Adds a text to a tree of texts: follows the text until it leaves the tree, and rebuilds the branches on the way back. A loop
 * instead of recursion, because texts may be long.
 */
function withText(expressions: Expressions, texts: Expression, text: Uint8Array): Expression {
  const others: (readonly Expression[])[] = [];
  let at = texts;
  for (const byte of text) {
    const members = at.kind === "union" ? at.members : [at];
    const head = expressions.byte(byte);
    const branch = members.find((member) => member.kind === "sequence" && member.head === head);
    if (branch?.kind !== "sequence") break;
    others.push(members.filter((member) => member !== branch));
    at = branch.tail;
  }
  let made = expressions.union(at, expressions.literal(text.subarray(others.length)));
  for (let depth = others.length - 1; depth >= 0; depth--) {
    const branch = expressions.pair(expressions.byte(text[depth] as number), made);
    made = expressions.unionOf([...(others[depth] as readonly Expression[]), branch]);
  }
  return made;
}

function bytesOf(written: WrittenBytes | null): Uint8Array {
  const bytes = new Uint8Array(written?.length ?? 0);
  for (let at = written; at !== null; at = at.before) bytes[at.length - 1] = at.byte;
  return bytes;
}

function append(before: WrittenBytes | null, byte: number): WrittenBytes {
  return { byte, before, length: (before?.length ?? 0) + 1, hash: mixHash(before?.hash ?? 1, byte) };
}

const everyByte = Array.from({ length: 256 }, (_, byte) => byte);

/** One step for each byte, since each byte makes another text. */
export function distinctSteps(
  expressions: Expressions,
  derivatives: Steps,
  expression: Expression,
  bytes: readonly number[] = everyByte,
): DerivativeStep[] {
  return bytes
    .map((byte) => ({
      set: byteSet([byte, byte]),
      next: afterByte(expressions, derivatives, expression, byte),
    }))
    .filter(({ next }) => next.kind !== "nothing");
}

/**
 * The expression after bytes of the present text: as many as are inside a string terminal, otherwise one. Null if a byte is not
 * allowed.
 */
export function followDistinct(
  expressions: Expressions,
  derivatives: Steps,
  { body, distinct }: DistinctExpression,
  span: Span,
): Followed | null {
  const { bytes, from } = span;
  const followed =
    body.kind === "stringTerminal"
      ? followTerminal(expressions, body, span)
      : { rest: afterByte(expressions, derivatives, body, bytes[from] as number), taken: 1 };
  if (followed === null) return null;
  let { taken, written } = distinct;
  for (let index = from; index < from + followed.taken; index++) {
    const byte = bytes[index] as number;
    if (taken.kind !== "nothing") taken = afterByte(expressions, derivatives, taken, byte);
    written = append(written, byte);
  }
  return { ...followed, rest: distinctOf(expressions, followed.rest, { ...distinct, taken, written }) };
}

/** The expression after one byte; `nothing` if the byte is not allowed. In an expression that remembers, only this byte's step is made. */
export function afterByte(
  expressions: Expressions,
  derivatives: Steps,
  expression: Expression,
  byte: number,
): Expression {
  if (expression.kind === "stringTerminal")
    return (
      followTerminal(expressions, expression, { bytes: [byte], from: 0, to: 1 })?.rest ?? expressions.nothing
    );
  if (expression.remembers) return afterRemembered(expressions, derivatives, expression, byte);
  const taken = derivatives.steps(expression).filter(({ set }) => hasByte(set, byte));
  const [only] = taken;
  return taken.length === 1 && only ? only.next : expressions.unionOf(taken.map(({ next }) => next));
}

function afterRemembered(
  expressions: Expressions,
  derivatives: Steps,
  expression: Expression,
  byte: number,
): Expression {
  expressions.spend(1);
  const after = (part: Expression) => afterByte(expressions, derivatives, part, byte);
  switch (expression.kind) {
    case "distinct": {
      const { body, distinct } = expression;
      const followed = followDistinct(expressions, derivatives, expression, {
        bytes: [byte],
        from: 0,
        to: 1,
      });
      const next = followed?.rest ?? expressions.nothing;
      const mayEnd = derivatives.isNullable(body) && !derivatives.isNullable(distinct.taken);
      return mayEnd ? expressions.union(next, after(ended(expressions, distinct))) : next;
    }
    case "union":
      return expressions.unionOf(expression.members.map(after));
    case "sequence": {
      const { head, tail } = expression;
      const next = expressions.pair(after(head), tail);
      return derivatives.isNullable(head) ? expressions.union(next, after(tail)) : next;
    }
    default:
      // No other kind remembers texts.
      return expressions.nothing;
  }
}

function bytesThatBegin(derivatives: Steps, expression: Expression): ByteSet {
  const bytes = byteSet();
  for (const { set } of derivatives.steps(expression)) addAll(bytes, set);
  return bytes;
}

/** Most bytes of the one text along which `hasOtherText` looks. */
const LONGEST_WAY = 1000;

/**
 * True if the search finds a text of `body` that is not in `taken`. The search follows a single text of `body` until this text
 * may end and is not taken, or until a byte leads away from all taken texts. False does not mean that there is no such text.
 */
export function hasOtherText(
  expressions: Expressions,
  derivatives: Steps,
  isPossible: (expression: Expression) => boolean,
  texts: { readonly body: Expression; readonly taken: Expression },
): boolean {
  let { body, taken } = texts;
  for (let length = 0; length < LONGEST_WAY; length++) {
    if (derivatives.isNullable(body) && !derivatives.isNullable(taken)) return true;
    const free = invert(bytesThatBegin(derivatives, taken));
    const steps = derivatives.steps(body);
    if (steps.some(({ set, next }) => !areDisjoint(set, free) && isPossible(next))) return true;
    const way = steps.find(({ next }) => next.kind !== "empty");
    if (way === undefined) return false;
    const byte = firstByte(way.set);
    body = afterByte(expressions, derivatives, body, byte);
    taken = afterByte(expressions, derivatives, taken, byte);
  }
  return false;
}

/** The expression without the remembered texts at its front: it allows more texts, and its states recur. */
export function forgetSeenTexts(expressions: Expressions, expression: Expression): Expression {
  return replaceDistinct(expressions, expression, ({ body, distinct }) =>
    expressions.pair(body, distinct.sequel.general()),
  );
}

/** Replaces each `distinct` at the front of the expression. */
function replaceDistinct(
  expressions: Expressions,
  expression: Expression,
  replacement: (distinct: DistinctExpression) => Expression,
): Expression {
  if (!expression.remembers) return expression;
  const replaced = (part: Expression) => replaceDistinct(expressions, part, replacement);
  switch (expression.kind) {
    case "distinct":
      return replacement(expression);
    case "union":
      return expressions.unionOf(expression.members.map(replaced));
    case "sequence": {
      const { head, tail } = expression;
      return expressions.pair(replaced(head), head.nullable === NO ? tail : replaced(tail));
    }
    default:
      return expression;
  }
}

/**
 * Returns the expression without the bytes of the present text. After two expressions with the same result, the same rest of the
 * text may follow. Each byte of a `distinct` leads to a new expression, so a search for some text tries one expression for each
 * result.
 */
export function withoutWritten(expressions: Expressions, expression: Expression): Expression {
  return replaceDistinct(expressions, expression, ({ body, distinct }) =>
    distinctOf(expressions, body, { ...distinct, written: null }),
  );
}

/**
 * Returns the bytes after which the new text may still become one of the seen texts: white space before the text, and the next
 * byte of each seen text. Where a whole seen text stands already, returns all bytes that the expression allows, because the new
 * text must not end there.
 */
export function bytesToSeen(expressions: Expressions, derivatives: Steps, expression: Expression): ByteSet {
  const bytes = byteSet();
  addBytesToSeen(expressions, derivatives, expression, bytes);
  return bytes;
}

/** Adds them to `bytes`. @returns whether the expression remembers any text that may come. */
function addBytesToSeen(
  expressions: Expressions,
  derivatives: Steps,
  expression: Expression,
  bytes: ByteSet,
): boolean {
  if (!expression.remembers) return false;
  switch (expression.kind) {
    case "distinct": {
      const { taken } = expression.distinct;
      if (taken.kind === "nothing") return false;
      // A whole seen text is written and must not end here: every byte that may come in general has to be checked.
      const isTaken = derivatives.isNullable(taken);
      addAll(bytes, bytesThatBegin(derivatives, isTaken ? forgetSeenTexts(expressions, expression) : taken));
      return true;
    }
    case "union":
      return (
        expression.members.filter((member) => addBytesToSeen(expressions, derivatives, member, bytes))
          .length > 0
      );
    case "sequence": {
      const { head, tail } = expression;
      if (addBytesToSeen(expressions, derivatives, head, bytes)) return true;
      if (head.nullable === NO || !addBytesToSeen(expressions, derivatives, tail, bytes)) return false;
      // White space before the text: more of it leads there, too.
      addAll(bytes, bytesThatBegin(derivatives, head));
      return true;
    }
    default:
      return false;
  }
}

/** The steps that a search for some text has to look at: of the bytes that lead alike and away from all seen texts, only the first. */
export function searchedSteps(
  expressions: Expressions,
  derivatives: Steps,
  expression: Expression,
): readonly DerivativeStep[] {
  if (!expression.remembers) return derivatives.steps(expression);
  const toSeen = bytesToSeen(expressions, derivatives, expression);
  return derivatives.steps(forgetSeenTexts(expressions, expression)).flatMap(({ set }) => {
    const allowed = everyByte.filter((byte) => hasByte(set, byte));
    const free = allowed.find((byte) => !hasByte(toSeen, byte));
    const bytes = allowed.filter((byte) => byte === free || hasByte(toSeen, byte));
    return distinctSteps(expressions, derivatives, expression, bytes);
  });
}

function addAll(bytes: ByteSet, others: ByteSet): void {
  for (let word = 0; word < 8; word++) (bytes[word] as number) |= others[word] as number;
}
