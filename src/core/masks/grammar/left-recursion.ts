/**
 * Rewrites left-recursive rules, which begin with themselves, to rules that do not and have the same texts.
 *
 * The simplest case: in `sum ::= sum "+" n | n`, each text is an `n` and then any number of `"+" n`. Here `"+" n` is an α,
 * the alternative `n` is a β, and "any number of `"+" n`" is `rest(sum, sum)`: what makes a longer `sum` of a `sum` that has been
 * read.
 *
 * For rules that begin with one another, `A ::= B α | β`, the texts are the solution of a linear system over the rules at
 * the front (Rosenkrantz 1967): `A = Σ β · rest(B, A)` over the β of each B, where `rest(B, A)` is what makes an A of a B
 * that has been read: `rest(B, A) = [ε, if A is B] | Σ α · rest(C, A)` over all `C ::= B α`. The empty text is taken out of
 * each α and β and handled apart, so that hidden left recursion (`A ::= B A` with a B that may be empty) and cycles
 * (`A ::= A`) need no case of their own. The size is quadratic in the number of rules that begin with one another; the
 * rules are made when they are first used.
 */
import { getOrCreate } from "../automaton/get-or-create.ts";
import {
  firstRules,
  type GrammarProperties,
  propertiesOfNode,
  type RuleBodies,
  type RuleCycles,
} from "./analyze.ts";
import { emptyText, type GbnfNode } from "./syntax.ts";

/**
 * A node of the rewritten grammar. It refers to a rule (`reference`), to a rule without the empty text (`filled`), or to
 * what makes a text of the rule `to` of a text of the rule `of` (`rest`).
 */
export type RewrittenNode =
  | Exclude<GbnfNode, { kind: "sequence" | "alternatives" | "repeat" }>
  | { readonly kind: "filled"; readonly rule: string }
  | { readonly kind: "rest"; readonly of: string; readonly to: string }
  | { readonly kind: "sequence"; readonly parts: readonly RewrittenNode[] }
  | { readonly kind: "alternatives"; readonly parts: readonly RewrittenNode[] }
  | { readonly kind: "repeat"; readonly body: RewrittenNode; readonly min: number; readonly max: number };

/** A text that begins with a rule of the cycle: a text of `rule` other than the empty one, then a text of `after` (α). */
interface Lead {
  readonly rule: string;
  readonly after: GbnfNode;
}

/** The texts of a node other than the empty one: `leads` begin with a rule of the cycle (`B α`), `others` do not (β). */
interface Split {
  readonly leads: readonly Lead[];
  readonly others: readonly RewrittenNode[];
}

export class LeftRecursion {
  readonly #properties: GrammarProperties;
  readonly #bodies: RuleBodies;
  readonly #cycles: RuleCycles;
  readonly #splits = new Map<string, Split>();

  constructor(properties: GrammarProperties, bodies: RuleBodies, cycles: RuleCycles) {
    this.#properties = properties;
    this.#bodies = bodies;
    this.#cycles = cycles;
  }

  /** The rewritten body of a rule. */
  whole(rule: string): RewrittenNode {
    if (!this.#cycles.has(rule)) return this.#body(rule);
    const filled: RewrittenNode = { kind: "filled", rule };
    return this.#isNullable(rule) ? { kind: "alternatives", parts: [emptyText, filled] } : filled;
  }

  /** The rewritten body of a rule, without the empty text. */
  filled(rule: string): RewrittenNode {
    const cycle = this.#cycles.get(rule);
    if (cycle === undefined) return this.#withoutEmpty(this.#body(rule)) ?? never(rule);
    const parts = [...cycle].flatMap((member) =>
      this.#split(member).others.map((other) => sequence(other, { kind: "rest", of: member, to: rule })),
    );
    return { kind: "alternatives", parts };
  }

  /** The texts that may follow a text of the rule `of` so that the whole is a text of the rule `to`. */
  rest(of: string, to: string): RewrittenNode {
    const parts: RewrittenNode[] = [];
    const reached = new Set([of]);
    for (const at of reached) {
      if (at === to) parts.push(emptyText);
      for (const member of this.#cycles.get(to) ?? []) {
        for (const { rule, after } of this.#split(member).leads) {
          if (rule !== at) continue;
          if (this.#isNullableNode(after)) reached.add(member);
          const filled = this.#withoutEmpty(after);
          if (filled !== null) parts.push(this.#goOn(filled, after, member, to));
        }
      }
    }
    return { kind: "alternatives", parts };
  }

  /**
   * `α · rest(member, to)`. Where `to` is `member` and α ends with a `member`, the rest is left out: whatever it would read
   * is part of that last `member` already. Without this, `1+1+1` would be read in two ways by `e ::= e "+" e | "1"`, and
   * longer sums in exponentially many.
   */
  #goOn(filled: RewrittenNode, after: GbnfNode, member: string, to: string): RewrittenNode {
    if (member === to && this.#endsWith(after, member)) return filled;
    return sequence(filled, { kind: "rest", of: member, to });
  }

  #endsWith(node: GbnfNode | undefined, rule: string): boolean {
    if (node?.kind === "sequence") return this.#endsWith(node.parts.at(-1), rule);
    return node?.kind === "reference" && node.rule === rule && !this.#isNullable(rule);
  }

  #split(rule: string): Split {
    return getOrCreate(this.#splits, rule, () =>
      this.#splitNode(this.#body(rule), this.#cycles.get(rule) ?? new Set()),
    );
  }

  #splitNode(node: GbnfNode, cycle: ReadonlySet<string>): Split {
    if (![...firstRules(this.#properties, node)].some((rule) => cycle.has(rule))) {
      const filled = this.#withoutEmpty(node);
      return { leads: [], others: filled === null ? [] : [filled] };
    }
    switch (node.kind) {
      case "reference":
        return { leads: [{ rule: node.rule, after: emptyText }], others: [] };
      case "alternatives":
        return joined(node.parts.map((part) => this.#splitNode(part, cycle)));
      case "repeat": {
        const further: GbnfNode = { ...node, min: Math.max(node.min - 1, 0), max: node.max - 1 };
        return followed(this.#splitNode(node.body, cycle), node.max === 1 ? [] : [further]);
      }
      case "sequence": {
        const splits: Split[] = [];
        for (const [index, part] of node.parts.entries()) {
          splits.push(followed(this.#splitNode(part, cycle), node.parts.slice(index + 1)));
          if (!this.#isNullableNode(part)) break;
        }
        return joined(splits);
      }
      default:
        return { leads: [], others: [node] };
    }
  }

  /** The node without the empty text; null when the empty text was its only one. */
  #withoutEmpty(node: GbnfNode): RewrittenNode | null {
    if (!this.#isNullableNode(node)) return node;
    switch (node.kind) {
      case "reference":
        return { kind: "filled", rule: node.rule };
      case "alternatives":
        return oneOf(node.parts.flatMap((part) => this.#withoutEmpty(part) ?? []));
      case "repeat": {
        const body = this.#withoutEmpty(node.body);
        return body && { kind: "repeat", body, min: 1, max: node.max };
      }
      case "sequence":
        // Every part may be empty. One of them is the first that is not: that part without the empty text, then all parts
        // after it.
        return oneOf(
          node.parts.flatMap((part, index) => {
            const filled = this.#withoutEmpty(part);
            return filled === null ? [] : [sequence(filled, ...node.parts.slice(index + 1))];
          }),
        );
      default:
        return node;
    }
  }

  #body(rule: string): GbnfNode {
    return this.#bodies.get(rule) ?? never(rule);
  }

  #isNullable(rule: string): boolean {
    return this.#properties.get(rule)?.isNullable ?? false;
  }

  #isNullableNode(node: GbnfNode): boolean {
    return propertiesOfNode(this.#properties, node).isNullable;
  }
}

function sequence(...parts: readonly RewrittenNode[]): RewrittenNode {
  return { kind: "sequence", parts };
}

function oneOf(parts: readonly RewrittenNode[]): RewrittenNode | null {
  return parts.length === 0 ? null : { kind: "alternatives", parts };
}

function joined(splits: readonly Split[]): Split {
  return {
    leads: splits.flatMap(({ leads }) => leads),
    others: splits.flatMap(({ others }) => others),
  };
}

function followed({ leads, others }: Split, after: readonly GbnfNode[]): Split {
  if (after.length === 0) return { leads, others };
  return {
    leads: leads.map((lead) => ({
      rule: lead.rule,
      after: { kind: "sequence", parts: [lead.after, ...after] },
    })),
    others: others.map((other) => sequence(other, ...after)),
  };
}

function never(rule: string): never {
  throw new Error(`The rule "${rule}" matches no text.`);
}
