/** Regular expressions as expressions over bytes. */
import type { Expression, Expressions } from "../automaton/expression.ts";
import { allCodePoints } from "./code-points.ts";
import { emptyNode, hasAnchor, isFreelyNullable, type RegexNode } from "./node.ts";
import { type Alphabet, utf8 } from "./utf8.ts";

export type { RegexNode } from "./node.ts";
export { parseRegex } from "./parse.ts";
export { parsePattern } from "./pattern.ts";

export interface RegexOptions {
  /** True: the whole text has to match. False: it has to contain a match, as JSON Schema's `pattern` asks. */
  readonly anchored: boolean;
  /** How a code point is written; as UTF-8 by default. */
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
  const any = (options.alphabet ?? utf8)(expressions, allCodePoints);
  return expressions.intersection(expressions.repeat(any, 0, Number.POSITIVE_INFINITY), expression);
}

export interface CompiledRegex {
  readonly expression: Expression;
  /** The fewest and the most code points of a text that matches. */
  readonly minLength: number;
  readonly maxLength: number;
  /**
   * True when `expression` allows any bytes at all after a match: the caller then has to intersect it with well-formed
   * text. An automaton forgets such an expression after the first match, because `anything` absorbs every other
   * continuation.
   */
  readonly isOpen: boolean;
}

/** Compiles as `regexExpression` does, and adds the lengths and `isOpen`. */
export function compileRegex(
  expressions: Expressions,
  node: RegexNode,
  { anchored, alphabet = utf8 }: RegexOptions,
): CompiledRegex {
  const compiler = new Compiler(expressions, alphabet);
  if (anchored) return { ...whole(compiler, compiler.parts(node)), isOpen: false };
  const trimmed = trim(trim(node, "start"), "end");
  const parts = compiler.parts(trimmed);
  const any: Part = {
    language: expressions.repeat(alphabet(expressions, allCodePoints), 0, Number.POSITIVE_INFINITY),
    min: 0,
    max: Number.POSITIVE_INFINITY,
  };
  const isOpen = mayOverlap(parts);
  const rest = isOpen ? { ...any, language: expressions.anything } : any;
  const found = parts.map((part, flags) => {
    if (part === null) return null;
    const before = flags & START ? part : compiler.join(any, part);
    return flags & END ? before : compiler.join(before, rest);
  });
  return { ...whole(compiler, found), isOpen };
}

/**
 * Whether a second match may begin during or after the first. Only then is it worth letting the automaton forget the
 * expression.
 */
function mayOverlap([free = null, start = null, end = null]: Parts): boolean {
  return free !== null || (start !== null && (end !== null || start.max === Number.POSITIVE_INFINITY));
}

function whole(compiler: Compiler, parts: Parts): Omit<CompiledRegex, "isOpen"> {
  const { language, min, max } = compiler.either(parts) ?? { language: compiler.nothing, min: 0, max: 0 };
  return { expression: language, minLength: min, maxLength: max };
}

/** A language and the lengths of its texts in code points. */
interface Part {
  readonly language: Expression;
  readonly min: number;
  readonly max: number;
}

/** The match has to begin where the text begins. */
const START = 1;
/** The match has to end where the text ends. */
const END = 2;

/**
 * The texts that a node matches, in four parts by the demands of its anchors. The index is a sum of flags: part 0 matches anywhere,
 * part START only at the start of the text, part END only at its end, and part START | END only where the match is the
 * whole text. For `^a|b`, part START is `a` and part 0 is `b`. Null: matches nothing.
 */
type Parts = readonly (Part | null)[];

const writtenSets = new WeakMap<Expressions, Map<Alphabet, Map<string, Expression>>>();

/**
 * The expressions of sets in an alphabet, by the sets' ranges. They are kept because one schema asks for the same sets
 * again and again.
 */
function setsOf(expressions: Expressions, alphabet: Alphabet): Map<string, Expression> {
  const byAlphabet = writtenSets.get(expressions) ?? new Map<Alphabet, Map<string, Expression>>();
  const sets = byAlphabet.get(alphabet) ?? new Map<string, Expression>();
  writtenSets.set(expressions, byAlphabet.set(alphabet, sets));
  return sets;
}

class Compiler {
  readonly nothing: Expression;
  readonly #expressions: Expressions;
  readonly #alphabet: Alphabet;
  readonly #empty: Part;
  readonly #sets: Map<string, Expression>;

  constructor(expressions: Expressions, alphabet: Alphabet) {
    this.#expressions = expressions;
    this.#alphabet = alphabet;
    this.#sets = setsOf(expressions, alphabet);
    this.nothing = expressions.nothing;
    this.#empty = { language: expressions.empty, min: 0, max: 0 };
  }

  parts(node: RegexNode): Parts {
    switch (node.kind) {
      case "empty":
        return [this.#empty, null, null, null];
      case "start":
        return [null, this.#empty, null, null];
      case "end":
        return [null, null, this.#empty, null];
      case "set": {
        const key = node.set.join();
        const language = this.#sets.get(key) ?? this.#alphabet(this.#expressions, node.set);
        this.#sets.set(key, language);
        return [language.kind === "nothing" ? null : { language, min: 1, max: 1 }, null, null, null];
      }
      case "alternation": {
        const all = node.items.map((item) => this.parts(item));
        return [0, 1, 2, 3].map((flags) => this.either(all.map((parts) => parts[flags] ?? null)));
      }
      case "sequence":
        return node.items
          .map((item) => this.parts(item))
          .reduceRight((after, before) => this.#follow(before, after));
      case "repeat":
        return this.#repeat(this.parts(node.body), node.min, node.max);
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

  /**
   * Matches `before` and then `after`. Where `after` has to be at the start of the text, `before` can only be empty; where
   * `before` has to be at the end, `after` can only be empty.
   */
  #follow(before: Parts, after: Parts): Parts {
    const found: (Part | null)[][] = [[], [], [], []];
    for (const [first, a] of before.entries()) {
      for (const [second, b] of after.entries()) {
        if (a === null || b === null) continue;
        if (second & START && a.min > 0) continue;
        if (first & END && b.min > 0) continue;
        const left = second & START ? this.#empty : a;
        const right = first & END ? this.#empty : b;
        found[first | second]?.push(this.join(left, right));
      }
    }
    return found.map((parts) => this.either(parts));
  }

  /**
   * Matches `body` `min` times, then up to `max - min` times more. Only the first of these further rounds may have to be at the start of the text, and only the last at its end.
   */
  #repeat(body: Parts, min: number, max: number): Parts {
    const [free = null, start = null, end = null, both = null] = body;
    if (start === null && end === null && both === null)
      return [this.#times(free, min, max), null, null, null];
    let result: Parts = this.#more(body, max - min);
    for (let round = 0; round < min; round++) result = this.#follow(body, result);
    return result;
  }

  #more([free = null, start = null, end = null, both = null]: Parts, most: number): Parts {
    if (most === 0) return [this.#empty, null, null, null];
    const after = start && this.join(start, this.#times(free, 0, most - 1) ?? this.#empty);
    const before = end && this.join(this.#times(free, 0, most - 1) ?? this.#empty, end);
    const around =
      start && end && most > 1
        ? this.join(this.join(start, this.#times(free, 0, most - 2) ?? this.#empty), end)
        : null;
    return [this.#times(free, 0, most), after, before, this.either([both, around])];
  }

  #times(part: Part | null, min: number, max: number): Part | null {
    if (max === 0 || part === null) return min === 0 || max === 0 ? this.#empty : null;
    return {
      language: this.#expressions.repeat(part.language, min, max),
      min: part.min * min,
      max: part.max === 0 ? 0 : part.max * max,
    };
  }
}

/**
 * Drops what may be left out at this end of an unanchored node: any text may stand next to the match anyway. `a*b` becomes
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
