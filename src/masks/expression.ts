/**
 * Languages over bytes, as values. An expression is made by an `Expressions` arena and is unique in it: two expressions that
 * were made the same way are the same object, so that a set of automaton states is a set of ids.
 */
import { allBytes, type ByteSet, byteSet, intersect, invert, isEmptySet, setKey, unite } from "./byte-set.ts";
import { ConstraintLimitError } from "./strategy-error.ts";

interface Node {
  /** Unique in its arena; order of making. */
  readonly id: number;
}

export type Expression = Node &
  (
    | { readonly kind: "nothing" }
    | { readonly kind: "empty" }
    | { readonly kind: "bytes"; readonly set: ByteSet }
    | { readonly kind: "sequence"; readonly head: Expression; readonly tail: Expression }
    | { readonly kind: "union"; readonly members: readonly Expression[] }
    | { readonly kind: "repeat"; readonly body: Expression; readonly min: number; readonly max: number }
    | { readonly kind: "intersection"; readonly members: readonly Expression[] }
    | { readonly kind: "complement"; readonly body: Expression }
    | { readonly kind: "rule"; readonly key: string; readonly expand: () => Expression }
    | { readonly kind: "budget"; readonly body: Expression; readonly tokens: number }
  );

/** Without `id`: what is looked up. */
type Shape = Expression extends infer Each ? (Each extends Expression ? Omit<Each, "id"> : never) : never;

/** Most expressions of one arena. Each takes some 200 bytes. */
const MOST_EXPRESSIONS = 2_000_000;

const encoder = new TextEncoder();

/** Makes expressions, and owns them: they are freed with it. */
export class Expressions {
  readonly #interned = new Map<string, Expression>();
  readonly nothing: Expression;
  /** The empty text alone. */
  readonly empty: Expression;
  /** Every text. */
  readonly anything: Expression;

  constructor() {
    this.nothing = this.#intern("0", { kind: "nothing" });
    this.empty = this.#intern("1", { kind: "empty" });
    this.anything = this.repeat(this.bytes(allBytes), 0, Number.POSITIVE_INFINITY);
  }

  /** Expressions made so far. */
  get size(): number {
    return this.#interned.size;
  }

  /** One byte of the set. */
  bytes(set: ByteSet): Expression {
    return isEmptySet(set) ? this.nothing : this.#intern(`b${setKey(set)}`, { kind: "bytes", set });
  }

  byte(first: number, last = first): Expression {
    return this.bytes(byteSet([first, last]));
  }

  /** Exactly this text (as UTF-8), or these bytes. */
  literal(text: string | Uint8Array): Expression {
    const bytes = typeof text === "string" ? encoder.encode(text) : text;
    let result = this.empty;
    for (let index = bytes.length - 1; index >= 0; index--) {
      result = this.#pair(this.byte(bytes[index] as number), result);
    }
    return result;
  }

  /** One after the other. */
  sequence(...parts: readonly Expression[]): Expression {
    return parts.reduceRight((tail, head) => this.#pair(head, tail), this.empty);
  }

  #pair(head: Expression, tail: Expression): Expression {
    if (head.kind === "nothing" || tail.kind === "nothing") return this.nothing;
    if (head.kind === "empty") return tail;
    if (tail.kind === "empty") return head;
    if (head.kind === "sequence") return this.#pair(head.head, this.#pair(head.tail, tail));
    return this.#intern(`s${head.id},${tail.id}`, { kind: "sequence", head, tail });
  }

  /** Any one of them. */
  union(...parts: readonly Expression[]): Expression {
    const members = new Map<number, Expression>();
    let set: ByteSet | null = null;
    for (const part of parts) {
      for (const member of part.kind === "union" ? part.members : [part]) {
        if (member.kind === "bytes") set = set === null ? member.set : unite(set, member.set);
        else if (member.kind !== "nothing") members.set(member.id, member);
      }
    }
    if (members.has(this.anything?.id)) return this.anything;
    if (set !== null) {
      const bytes = this.bytes(set);
      members.set(bytes.id, bytes);
    }
    const sorted = [...members.values()].sort((a, b) => a.id - b.id);
    if (sorted.length <= 1) return sorted[0] ?? this.nothing;
    return this.#intern(`u${sorted.map(({ id }) => id).join()}`, { kind: "union", members: sorted });
  }

  optional(body: Expression): Expression {
    return this.union(this.empty, body);
  }

  /** `body` from `min` to `max` times; `max` may be Infinity. */
  repeat(body: Expression, min: number, max: number): Expression {
    if (max === 0 || body.kind === "empty" || (body.kind === "nothing" && min === 0)) return this.empty;
    if (body.kind === "nothing" || min > max) return this.nothing;
    if (min === 1 && max === 1) return body;
    return this.#intern(`r${body.id},${min},${max}`, { kind: "repeat", body, min, max });
  }

  /** All of them at once. The members must be regular: no `rule` in them that leads back to itself. */
  intersection(...parts: readonly Expression[]): Expression {
    const members = new Map<number, Expression>();
    let set: ByteSet | null = null;
    for (const part of parts) {
      for (const member of part.kind === "intersection" ? part.members : [part]) {
        if (member.kind === "nothing") return this.nothing;
        if (member.kind === "bytes") set = set === null ? member.set : intersect(set, member.set);
        else if (member !== this.anything) members.set(member.id, member);
      }
    }
    if (set !== null) {
      if (isEmptySet(set)) return this.nothing;
      const bytes = this.bytes(set);
      members.set(bytes.id, bytes);
    }
    const sorted = [...members.values()].sort((a, b) => a.id - b.id);
    if (sorted.length <= 1) return sorted[0] ?? this.anything;
    return this.#intern(`i${sorted.map(({ id }) => id).join()}`, { kind: "intersection", members: sorted });
  }

  /** Every byte text that `body` is not: to be intersected with what is well-formed. `body` must be regular. */
  complement(body: Expression): Expression {
    if (body.kind === "complement") return body.body;
    if (body.kind === "nothing") return this.anything;
    if (body === this.anything) return this.nothing;
    return this.#intern(`c${body.id}`, { kind: "complement", body });
  }

  /** `part` without what `other` is. */
  difference(part: Expression, other: Expression): Expression {
    if (part.kind === "bytes" && other.kind === "bytes") {
      return this.bytes(intersect(part.set, invert(other.set)));
    }
    return this.intersection(part, this.complement(other));
  }

  /**
   * What `expand` gives, made when it is first needed: for recursion, and for states of a machine that are too many to make
   * ahead. One key, one language. It must not be empty, and must not begin with itself (no left recursion).
   */
  rule(key: string, expand: () => Expression): Expression {
    return this.#intern(`n${key}`, { kind: "rule", key, expand });
  }

  /** `body`, but after `tokens` tokens it has to end as soon as it can: only its shortest continuation is left. */
  budget(body: Expression, tokens: number): Expression {
    if (body.kind === "nothing" || body.kind === "empty") return body;
    return this.#intern(`t${body.id},${tokens}`, { kind: "budget", body, tokens });
  }

  #intern(key: string, shape: Shape): Expression {
    const found = this.#interned.get(key);
    if (found !== undefined) return found;
    const id = this.#interned.size;
    if (id >= MOST_EXPRESSIONS) {
      throw new ConstraintLimitError(
        `it takes more than ${MOST_EXPRESSIONS.toLocaleString("en")} expressions`,
      );
    }
    const made = { ...shape, id } as Expression;
    this.#interned.set(key, made);
    return made;
  }
}
