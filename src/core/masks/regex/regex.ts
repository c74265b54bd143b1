/** Regular expressions as expressions over bytes. */
import type { Expression, Expressions } from "../automaton/expression.ts";
import { getOrCreate } from "../automaton/get-or-create.ts";
import { allCodePoints, type CodePoints } from "./code-points.ts";

import { emptyNode, hasAnchor, isFreelyNullable, type RegexNode } from "./node.ts";
import { compileWithAnchors } from "./places.ts";
import { type Alphabet, utf8Alphabet } from "./utf8.ts";

export type { RegexNode } from "./node.ts";
export { parseRegex } from "./parse.ts";
export { parsePatternConditions } from "./pattern.ts";

export interface RegexOptions {
  /** True if the whole text must match. False if the text must contain a match, as for JSON Schema's `pattern`. */
  readonly anchored: boolean;
  /** The encoding of code points; UTF-8 by default. */
  readonly alphabet?: Alphabet;
}

/** The expression of all texts, as bytes, that the regular expression matches. */
export function regexExpression(
  expressions: Expressions,
  node: RegexNode,
  options: RegexOptions,
): Expression {
  const { expression, isOpen } = compileRegex(expressions, node, options);
  if (!isOpen) return expression;
  const any = (options.alphabet ?? utf8Alphabet)(expressions, allCodePoints);
  return expressions.intersection(expressions.repeat(any, 0, Number.POSITIVE_INFINITY), expression);
}

export interface CompiledRegex {
  readonly expression: Expression;
  /** No text that matches has fewer or more code points. With anchors in the middle, 0 and Infinity. */
  readonly minLength: number;
  readonly maxLength: number;
  /**
   * True if `expression` allows any bytes after a match: the caller then has to intersect it with well-formed text. An
   * automaton forgets such an expression after the first match, because `anything` absorbs every other continuation.
   */
  readonly isOpen: boolean;
}

/** Compiles as `regexExpression` does, and adds the lengths and `isOpen`. */
export function compileRegex(
  expressions: Expressions,
  node: RegexNode,
  { anchored, alphabet = utf8Alphabet }: RegexOptions,
): CompiledRegex {
  const compiler = new Compiler(expressions, alphabet);
  const trimmed = anchored ? node : trim(trim(node, "start"), "end");
  const choices = choicesOf(trimmed).map(takeAnchors);
  if (choices.some(({ body }) => hasAnchor(body))) {
    const plain = (part: RegexNode) => compiler.part(part)?.language ?? expressions.nothing;
    const expression = compileWithAnchors(expressions, node, plain, anchored);
    return { expression, minLength: 0, maxLength: Number.POSITIVE_INFINITY, isOpen: false };
  }
  const found = choices.map((choice) => ({ ...choice, part: compiler.part(choice.body) }));
  const isOpen = !anchored && mayOverlap(found);
  const any = { language: compiler.anyText, min: 0, max: Number.POSITIVE_INFINITY };
  const rest = isOpen ? { ...any, language: expressions.anything } : any;
  const parts = found.map(({ part, isStart, isEnd }) => {
    if (part === null || anchored) return part;
    const before = isStart ? part : compiler.join(any, part);
    return isEnd ? before : compiler.join(before, rest);
  });
  const { language, min, max } = compiler.either(parts) ?? { language: expressions.nothing, min: 0, max: 0 };
  return { expression: language, minLength: min, maxLength: max, isOpen };
}

/** One alternative of the expression, without its first and last anchors. */
interface Choice {
  readonly body: RegexNode;
  readonly isStart: boolean;
  readonly isEnd: boolean;
}

function choicesOf(node: RegexNode): RegexNode[] {
  return node.kind === "alternation" ? node.items.flatMap(choicesOf) : [node];
}

function takeAnchors(node: RegexNode): Choice {
  const items = node.kind === "sequence" ? [...node.items] : [node];
  const isStart = items[0]?.kind === "start";
  if (isStart) items.shift();
  const isEnd = items.at(-1)?.kind === "end";
  if (isEnd) items.pop();
  return { body: { kind: "sequence", items }, isStart, isEnd };
}

/**
 * Whether a second match may begin during or after the first. Only then does it pay that the automaton forgets the
 * expression.
 */
function mayOverlap(choices: readonly (Choice & { readonly part: Part | null })[]): boolean {
  const possible = choices.filter(({ part }) => part !== null);
  const atStart = possible.filter(({ isStart, isEnd }) => isStart && !isEnd);
  const atEnd = possible.filter(({ isStart, isEnd }) => !isStart && isEnd);
  const isAnywhere = possible.some(({ isStart, isEnd }) => !isStart && !isEnd);
  const isAtBothEnds = atStart.length > 0 && atEnd.length > 0;
  return isAnywhere || isAtBothEnds || atStart.some(({ part }) => part?.max === Number.POSITIVE_INFINITY);
}

/** A language and the lengths of its texts in code points. */
interface Part {
  readonly language: Expression;
  readonly min: number;
  readonly max: number;
}

/** The expressions of sets of code points, by the sets' ranges. One schema has the same sets again and again. */
const writtenSets = new WeakMap<Expressions, Map<Alphabet, Map<string, Expression>>>();

/** One code point of the set in the alphabet, made once for each arena. */
export function anyOfSet(expressions: Expressions, alphabet: Alphabet, set: CodePoints): Expression {
  const byAlphabet = getOrCreate(writtenSets, expressions, () => new Map());
  const sets: Map<string, Expression> = getOrCreate(byAlphabet, alphabet, () => new Map());
  return getOrCreate(sets, set.join(), () => alphabet(expressions, set));
}

/** Compiles nodes without anchors. */
class Compiler {
  readonly anyText: Expression;
  readonly #expressions: Expressions;
  readonly #alphabet: Alphabet;

  constructor(expressions: Expressions, alphabet: Alphabet) {
    this.#expressions = expressions;
    this.#alphabet = alphabet;
    const any = anyOfSet(expressions, alphabet, allCodePoints);
    this.anyText = expressions.repeat(any, 0, Number.POSITIVE_INFINITY);
  }

  /** Null: matches nothing. */
  part(node: RegexNode): Part | null {
    const empty = { language: this.#expressions.empty, min: 0, max: 0 };
    switch (node.kind) {
      case "set": {
        const language = anyOfSet(this.#expressions, this.#alphabet, node.set);
        return language.kind === "nothing" ? null : { language, min: 1, max: 1 };
      }
      case "alternation":
        return this.either(node.items.map((item) => this.part(item)));
      case "sequence":
        return node.items.reduceRight<Part | null>((after, item) => {
          const part = after && this.part(item);
          return part && after && this.join(part, after);
        }, empty);
      case "repeat": {
        const body = node.max === 0 ? null : this.part(node.body);
        if (body === null) return node.min === 0 || node.max === 0 ? empty : null;
        return {
          language: this.#expressions.repeat(body.language, node.min, node.max),
          min: body.min * node.min,
          max: body.max === 0 ? 0 : body.max * node.max,
        };
      }
      default:
        return empty;
    }
  }

  either(parts: readonly (Part | null)[]): Part | null {
    const some = parts.filter((part) => part !== null);
    if (some.length <= 1) return some[0] ?? null;
    return {
      language: this.#expressions.union(...some.map(({ language }) => language)),
      min: Math.min(...some.map(({ min }) => min)),
      max: Math.max(...some.map(({ max }) => max)),
    };
  }

  join(before: Part, after: Part): Part {
    return {
      language: this.#expressions.sequence(before.language, after.language),
      min: before.min + after.min,
      max: before.max + after.max,
    };
  }
}

/**
 * Removes parts that may be empty at this end of an unanchored node, since any text may be beside the match: `a*b` becomes
 * `b` at the start.
 */
function trim(node: RegexNode, end: "start" | "end"): RegexNode {
  switch (node.kind) {
    case "alternation":
      return { kind: "alternation", items: node.items.map((item) => trim(item, end)) };
    case "repeat":
      if (hasAnchor(node.body)) return node;
      if (node.min === 0) return emptyNode;
      return node.min === 1 ? trim(node.body, end) : { ...node, max: node.min };
    case "sequence": {
      const items = [...node.items];
      const take = () => (end === "end" ? items.pop() : items.shift());
      let last = take();
      while (last !== undefined && isFreelyNullable(last)) last = take();
      if (last === undefined) return emptyNode;
      const kept = trim(last, end);
      return { kind: "sequence", items: end === "end" ? [...items, kept] : [kept, ...items] };
    }
    default:
      return node;
  }
}
