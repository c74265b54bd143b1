/**
 * Compiles regular expressions with anchors (`^`, `$`) or word boundaries (`\b`, `\B`) in the middle.
 *
 * A context describes a place between two characters: the character before, and a condition on the character after.
 * The table of a node has a row for each context before the node: the contexts after the node, and the texts that lead there.
 * Example: the whole text must match `a\b-?`. These are the rows of the tables that matter:
 *
 *     node     before        after         texts
 *     a        ^,            word,         a
 *     \b       word,         word,other    the empty text: no word character may follow
 *     -?       word,other    other,        -
 *                            word,other    the empty text: the condition stays
 *     a\b-?    ^,            other,        a-
 *                            word,other    a
 *
 * The result is the union of all texts in the row `^,`: `a` and `a-`. For `a\bb` there is no such row: b is a word character.
 * A sequence multiplies tables, an alternation adds them, a repetition closes them.
 */
import type { Expression, Expressions } from "../automaton/expression.ts";
import { allCodePoints, type CodePoints, invertCodePoints, subtractCodePoints } from "./code-points.ts";
import { findBoundary, hasAnchor, isFreelyNullable, type RegexNode } from "./node.ts";

/** "word": the characters that `\w` matches; none if the expression has no word boundary. "other": all others. */
type Kind = "word" | "other";
/** The kind of the character before a place. "^": the text begins here. */
type Before = "^" | Kind;
/** The condition on the next character. "": no condition. "$": the text ends here. The end of the text also fulfils "other". */
type After = "" | Kind | "$";
type Context = `${Before},${After}`;

type Table = ReadonlyMap<Context, ReadonlyMap<Context, Expression>>;

const kinds = ["word", "other"] as const;
const opposite: Readonly<Record<Kind, Kind>> = { word: "other", other: "word" };
const befores = ["^", ...kinds] as const;
const afters = ["", ...kinds, "$"] as const;
const contexts: readonly Context[] = befores.flatMap((before) =>
  afters.map((after): Context => `${before},${after}`),
);

/**
 * The texts that a node matches: as a whole if `isAnchored`, otherwise in any part.
 * @param plain the texts of a node without anchors
 */
export function compileWithAnchors(
  expressions: Expressions,
  node: RegexNode,
  plain: (node: RegexNode) => Expression,
  isAnchored: boolean,
): Expression {
  const tables = new Tables(expressions, findBoundary(node)?.word ?? [], plain);
  const any: RegexNode = {
    kind: "repeat",
    body: { kind: "set", set: allCodePoints },
    min: 0,
    max: Number.POSITIVE_INFINITY,
  };
  const whole: RegexNode = isAnchored ? node : { kind: "sequence", items: [any, node, any] };
  // The text ends here, so no word character can follow.
  const ends = [...(tables.of(whole).get("^,") ?? [])].filter(([context]) => !context.endsWith(",word"));
  return expressions.union(...ends.map(([, texts]) => texts));
}

class Tables {
  readonly #expressions: Expressions;
  readonly #sets: Readonly<Record<Kind, CodePoints>>;
  readonly #plain: (node: RegexNode) => Expression;

  constructor(expressions: Expressions, word: CodePoints, plain: (node: RegexNode) => Expression) {
    this.#expressions = expressions;
    this.#sets = { word, other: invertCodePoints(word) };
    this.#plain = plain;
  }

  of(node: RegexNode): Table {
    if (!hasAnchor(node)) return this.#plainTable(node);
    switch (node.kind) {
      case "start":
        return this.#where((before, after) => (before === "^" ? after : null));
      case "end":
        return this.#where((_, after) => bothConditions(after, "$"));
      case "boundary":
        // After a word character, `\b` demands a character of the other kind or the end, and `\B` demands a word character.
        return this.#where((before, after) =>
          bothConditions(after, (before === "word") === node.isBoundary ? "other" : "word"),
        );
      case "alternation":
        return this.#either(...node.items.map((item) => this.of(item)));
      case "sequence":
        return node.items
          .map((item) => this.of(item))
          .reduce((before, after) => this.#sequence(before, after), this.#empty());
      case "repeat":
        return this.#repeat(this.of(node.body), node.min, node.max);
      default:
        return this.#plainTable(node);
    }
  }

  #empty(): Table {
    return this.#where((_, after) => after);
  }

  /**
   * A table with the empty text only: from each context to the context with the same character before and the condition that
   * `next` returns.
   */
  #where(next: (before: Before, after: After) => After | null): Table {
    const { empty } = this.#expressions;
    return new Map(
      contexts.map((from) => {
        const [before, after] = from.split(",") as [Before, After];
        const found = next(before, after);
        return [from, new Map(found === null ? [] : [[`${before},${found}` as Context, empty]])];
      }),
    );
  }

  /** The table of a node without anchors: the contexts only restrict its first and last character. */
  #plainTable(node: RegexNode): Table {
    const sets = setsOf(node);
    const hasOnlyKind = (kind: Kind) =>
      sets.every((set) => subtractCodePoints(set, this.#sets[kind]).length === 0);
    /** For each kind, whether all characters of the node are of this kind. */
    const isAll: Readonly<Record<Kind, boolean>> = { word: hasOnlyKind("word"), other: hasOnlyKind("other") };
    const texts = this.#expressions.intersection(this.#plain(node), this.#ending("", ""));
    /** The contexts after the node, by the kind of its last character, if its first character meets the condition `first`. */
    const from = (first: After): [Context, Expression][] => {
      if (first === "$" || (first !== "" && isAll[opposite[first]])) return [];
      return kinds.flatMap((last): [Context, Expression][] => {
        if (isAll[opposite[last]]) return [];
        // All characters are of the demanded kinds, so an intersection would take no text away.
        const isSure = isAll[last] && (first === "" || first === last);
        return [
          [`${last},`, isSure ? texts : this.#expressions.intersection(texts, this.#ending(first, last))],
        ];
      });
    };
    const table: Table = new Map(
      contexts.map((context) => [context, new Map(from(context.split(",")[1] as After))]),
    );
    return isFreelyNullable(node) ? this.#either(table, this.#empty()) : table;
  }

  /** Texts of at least one character whose first and last characters are of these kinds. */
  #ending(first: "" | Kind, last: "" | Kind): Expression {
    const one = (kind: "" | Kind) =>
      this.#plain({ kind: "set", set: kind === "" ? allCodePoints : this.#sets[kind] });
    const any = this.#expressions.repeat(one(""), 0, Number.POSITIVE_INFINITY);
    const several = this.#expressions.sequence(one(first), any, one(last));
    if (first !== "" && last !== "" && first !== last) return several;
    return this.#expressions.union(one(first === "" ? last : first), several);
  }

  #either(...tables: readonly Table[]): Table {
    return this.#collect(tables.flatMap((table) => pathsOf(table)));
  }

  #sequence(first: Table, second: Table): Table {
    return this.#collect(
      pathsOf(first).flatMap(([from, between, texts]) =>
        [...(second.get(between) ?? [])].map(
          ([to, more]): Path => [from, to, this.#expressions.sequence(texts, more)],
        ),
      ),
    );
  }

  #repeat(body: Table, min: number, max: number): Table {
    const more = max === Number.POSITIVE_INFINITY ? this.#star(body) : this.#either(this.#empty(), body);
    const table = this.#power(body, min);
    return this.#sequence(table, this.#power(more, max === Number.POSITIVE_INFINITY ? 1 : max - min));
  }

  #power(table: Table, rounds: number): Table {
    if (rounds < 2) return rounds === 0 ? this.#empty() : table;
    const half = this.#power(table, rounds >> 1);
    const even = this.#sequence(half, half);
    return rounds % 2 === 0 ? even : this.#sequence(even, table);
  }

  /** The table for any number of rounds (Kleene star): paths through one context after the other. */
  #star(body: Table): Table {
    let table = body;
    for (const through of contexts) {
      const loop = table.get(through)?.get(through) ?? this.#expressions.empty;
      const rounds = this.#expressions.repeat(loop, 0, Number.POSITIVE_INFINITY);
      const after = [...(table.get(through) ?? [])];
      const longer = pathsOf(table)
        .filter(([, to]) => to === through)
        .flatMap(([from, , texts]) =>
          after.map(([to, more]): Path => [from, to, this.#expressions.sequence(texts, rounds, more)]),
        );
      table = this.#collect([...pathsOf(table), ...longer]);
    }
    return this.#either(table, this.#empty());
  }

  #collect(paths: readonly Path[]): Table {
    const table = new Map<Context, Map<Context, Expression>>();
    for (const [from, to, texts] of paths) {
      if (texts.kind === "nothing") continue;
      const row = table.get(from) ?? new Map<Context, Expression>();
      row.set(to, this.#expressions.union(row.get(to) ?? this.#expressions.nothing, texts));
      table.set(from, row);
    }
    return table;
  }
}

type Path = readonly [from: Context, to: Context, texts: Expression];

function pathsOf(table: Table): Path[] {
  return [...table].flatMap(([from, row]) => [...row].map(([to, texts]): Path => [from, to, texts]));
}

/** The condition for the next character if both conditions hold; null if no character fulfils both. */
function bothConditions(one: After, other: After): After | null {
  if (one === "" || one === other) return other;
  return [one, other].includes("word") ? null : "$";
}

function setsOf(node: RegexNode): CodePoints[] {
  if (node.kind === "set") return [node.set];
  if (node.kind === "repeat") return node.max === 0 ? [] : setsOf(node.body);
  return "items" in node ? node.items.flatMap(setsOf) : [];
}
