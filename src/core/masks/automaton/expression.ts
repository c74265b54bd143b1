/**
 * Languages over bytes, as values. An expression is made by an `Expressions` arena and is unique in it: two expressions that
 * were made the same way are the same object, so that a set of automaton states is a set of ids.
 */
import { allBytes, type ByteSet, byteSet, intersect, invert, isEmptySet } from "./byte-set.ts";
import {
  blankFields,
  type Expression,
  type ExpressionFields,
  firstByteOfAll,
  hashMembers,
  isRepeatGapless,
  NO,
  type RuleBeginnings,
  type StringTerminalMaker,
  type Ternary,
  ternaryAnd,
  ternaryOr,
  UNKNOWN,
  type WorkMeter,
  YES,
} from "./expression-node.ts";
import { hashText, mixHash } from "./hash.ts";
import { InternTable } from "./intern-table.ts";
import { simplifyUnion, sortMembers } from "./union.ts";
import { encodeUtf8 } from "./utf8.ts";
import { MOST_WORK, tooMuchWork } from "./work.ts";

export type { Expression } from "./expression-node.ts";

/** Makes expressions, and owns them: they are freed with it. */
export class Expressions {
  readonly #table = new InternTable();
  /** The expression of each single byte: literals are made of these. */
  #single: (Expression | undefined)[] = [];
  #made = 0;
  #terminalMaker: StringTerminalMaker | null = null;
  /** Counts the work that is under way. An arena that works for another one counts with the meter of that arena, which has the limit, too. */
  meter: WorkMeter;
  readonly nothing: Expression;
  /** The empty text alone. */
  readonly empty: Expression;
  /** Every text. */
  readonly anything: Expression;

  /** @param mostWork most operations of one piece of work: fewer than the default where an answer has to come at once. */
  constructor(mostWork: number = MOST_WORK) {
    this.meter = { work: 0, most: mostWork };
    this.nothing = this.intern({
      ...blankFields("nothing", 1),
      certain: false,
    });
    this.empty = this.intern({ ...blankFields("empty", 2), nullable: YES });
    this.anything = this.repeat(this.bytes(allBytes), 0, Number.POSITIVE_INFINITY);
  }

  /** The number of expressions in the arena's table. */
  get size(): number {
    return this.#table.size;
  }

  /** Operations of this piece of work so far. */
  get work(): number {
    return this.meter.work;
  }

  /** Begins a new piece of work, which may take `mostWork` operations again. */
  begin(): void {
    this.meter.work = 0;
    this.#terminalMaker?.begin();
  }

  /** @throws ConstraintLimitError when the piece of work becomes too large. */
  spend(amount: number): void {
    this.meter.work += amount;
    if (this.meter.work > this.meter.most) throw tooMuchWork(this.meter.most);
  }

  /**
   * Forgets all expressions, so that those that nobody holds are freed. An expression that somebody holds stays valid; when
   * it is made once more it is another object, which costs time and changes no language.
   */
  forget(): void {
    this.#table.clear();
    this.#single = [];
    for (const kept of [this.nothing, this.empty, this.anything]) this.#table.add(kept);
  }

  /** One byte of the set. */
  bytes(set: ByteSet): Expression {
    if (isEmptySet(set)) return this.nothing;
    let hash = 3;
    for (let word = 0; word < 8; word++) hash = mixHash(hash, set[word] as number);
    return this.intern({ ...blankFields("bytes", hash), set, least: 1 });
  }

  byte(first: number, last: number = first): Expression {
    if (first !== last) return this.bytes(byteSet([first, last]));
    const found = this.#single[first] ?? this.bytes(byteSet([first, first]));
    this.#single[first] = found;
    return found;
  }

  /** Exactly this text (as UTF-8), or these bytes. */
  literal(text: string | Uint8Array): Expression {
    const bytes = typeof text === "string" ? encodeUtf8(text) : text;
    let result = this.empty;
    for (let index = bytes.length - 1; index >= 0; index--)
      result = this.#pair(this.byte(bytes[index] as number), result);
    return result;
  }

  /** The expressions, one after the other. */
  sequence(...parts: readonly Expression[]): Expression {
    return parts.reduceRight((tail, head) => this.pair(head, tail), this.empty);
  }

  /** `head`, then `tail`. */
  pair(head: Expression, tail: Expression): Expression {
    if (head.kind === "nothing" || tail.kind === "nothing") return this.nothing;
    if (head.kind === "empty") return tail;
    if (tail.kind === "empty") return head;
    if (head.kind !== "sequence") return this.#pair(head, tail);
    // Always nested to the right, so that the rest is reached in one step.
    const heads: Expression[] = [];
    let last: Expression = head;
    for (; last.kind === "sequence"; last = last.tail) heads.push(last.head);
    let result = this.#pair(last, tail);
    for (let index = heads.length - 1; index >= 0; index--)
      result = this.#pair(heads[index] as Expression, result);
    return result;
  }

  #pair(head: Expression, tail: Expression): Expression {
    if (tail.kind === "empty") return head;
    const hash = mixHash(mixHash(4, head.id), tail.id);
    const found = this.#table.findSequence(hash, head, tail);
    if (found) return found;
    return this.intern({
      ...blankFields("sequence", hash),
      head,
      tail,
      nullable: ternaryAnd(head.nullable, tail.nullable),
      certain: head.certain && tail.certain,
      timed: head.timed,
      remembers: head.remembers || (tail.remembers && head.nullable !== NO),
      least: head.least + tail.least,
    });
  }

  /** Any one of the expressions. */
  union(...parts: readonly Expression[]): Expression {
    return this.unionOf(parts);
  }

  unionOf(parts: readonly Expression[]): Expression {
    const members = simplifyUnion(this, parts);
    if (members.length <= 1) return members[0] ?? this.nothing;
    const hash = hashMembers(5, members);
    const found = this.#table.findMembers("union", hash, members);
    if (found) return found;
    const made = {
      ...blankFields("union", hash),
      members,
      certain: false,
      least: (members[0] as Expression).least,
    };
    for (const member of members) {
      made.nullable = ternaryOr(made.nullable, member.nullable);
      if (member.certain) made.certain = true;
      if (member.timed) made.timed = true;
      if (member.remembers) made.remembers = true;
      made.least = Math.min(made.least, member.least);
    }
    return this.intern(made);
  }

  optional(body: Expression): Expression {
    return this.union(this.empty, body);
  }

  /** `body` from `min` to `max` times; `max` may be Infinity. */
  repeat(body: Expression, min: number, max: number): Expression {
    if (max === 0 || body.kind === "empty" || (body.kind === "nothing" && min === 0)) return this.empty;
    if (body.kind === "nothing" || min > max) return this.nothing;
    if (min === 1 && max === 1) return body;
    if (body.nullable === YES) {
      if (min > 0) return this.repeat(body, 0, max);
      if (body.kind === "union" && body.members.includes(this.empty)) {
        return this.repeat(this.unionOf(body.members.filter((member) => member !== this.empty)), 0, max);
      }
    }
    if (body.kind === "repeat" && isRepeatGapless(body.min, body.max, min)) {
      return this.repeat(body.body, body.min * min, body.max * max);
    }
    return this.intern({
      ...blankFields("repeat", mixHash(mixHash(mixHash(6, body.id), min), max)),
      body,
      min,
      max,
      nullable: min === 0 ? YES : body.nullable,
      certain: min === 0 || body.certain,
      least: min === 0 ? 0 : min * body.least,
    });
  }

  /** The texts that all of the expressions allow. They must be regular: no `rule` in them leads back to itself. */
  intersection(...parts: readonly Expression[]): Expression {
    const members: Expression[] = [];
    let set: ByteSet | null = null;
    for (const part of parts) {
      for (const member of part.kind === "intersection" ? part.members : [part]) {
        if (member.kind === "nothing") return this.nothing;
        if (member.kind === "bytes") set = set === null ? member.set : intersect(set, member.set);
        else if (member !== this.anything) members.push(member);
      }
    }
    if (set !== null) {
      if (isEmptySet(set)) return this.nothing;
      members.push(this.bytes(set));
    }
    sortMembers(members);
    if (members.length <= 1) return members[0] ?? this.anything;
    let nullable: Ternary = YES;
    for (const member of members) nullable = ternaryAnd(nullable, member.nullable);
    // The empty text and other texts have nothing in common but the empty text.
    if (nullable !== UNKNOWN && members.includes(this.empty))
      return nullable === YES ? this.empty : this.nothing;
    this.spend(members.length);
    const first = firstByteOfAll(members);
    if (first !== null)
      return this.pair(this.bytes(first), this.intersection(...members.map((member) => this.#tail(member))));
    const hash = hashMembers(7, members);
    return (
      this.#table.findMembers("intersection", hash, members) ??
      this.intern({
        ...blankFields("intersection", hash),
        members,
        nullable,
        certain: nullable === YES,
        least: members.reduce((least, member) => Math.max(least, member.least), 0),
      })
    );
  }

  /** The rest of a member of an intersection that `firstByteOfAll` accepts. */
  #tail(member: Expression): Expression {
    if (member.kind === "complement") return this.complement(this.#tail(member.body));
    return member.kind === "sequence" ? member.tail : this.nothing;
  }

  /** All byte texts that are not in `body`, malformed UTF-8 included. `body` must be regular. */
  complement(body: Expression): Expression {
    if (body.kind === "complement") return body.body;
    if (body.kind === "nothing") return this.anything;
    if (body === this.anything) return this.nothing;
    let { nullable } = body;
    if (nullable !== UNKNOWN) nullable = nullable === YES ? NO : YES;
    return this.intern({
      ...blankFields("complement", mixHash(8, body.id)),
      body,
      nullable,
      certain: nullable === YES,
      least: nullable === NO ? 1 : 0,
    });
  }

  /** The texts of `part` that are none of `other`. */
  difference(part: Expression, other: Expression): Expression {
    if (part.kind === "bytes" && other.kind === "bytes") {
      return this.bytes(intersect(part.set, invert(other.set)));
    }
    return this.intersection(part, this.complement(other));
  }

  /**
   * The expression that `expand` gives, made when it is first needed: for recursion, and for states of a machine that are too many to make
   * ahead. One key, one language. It must not be empty, and must not begin with itself (no left recursion).
   */
  rule(key: string, expand: () => Expression, beginnings?: RuleBeginnings): Expression {
    const node = blankFields("rule", mixHash(9, hashText(key)));
    return this.intern({ ...node, key, expand, beginnings, nullable: beginnings ? NO : UNKNOWN });
  }

  /** `body`, but after `tokens` tokens it has to end as soon as it can: only its shortest continuation is left. */
  budget(body: Expression, tokens: number): Expression {
    if (body.kind === "nothing" || body.kind === "empty") return body;
    return this.intern({
      ...blankFields("budget", mixHash(mixHash(10, body.id), tokens)),
      body,
      tokens,
      nullable: body.nullable,
      certain: body.certain,
      timed: true,
      least: body.least,
    });
  }

  /** @param text an expression of the maker's own arena: the rest of a terminal (`empty` if it has ended), which allows some text; no text of it begins another one. See string-terminal-machine.ts. */
  stringTerminal(maker: StringTerminalMaker, text: Expression): Expression {
    if (text.kind === "empty") return this.empty;
    this.#terminalMaker = maker;
    const hash = mixHash(11, text.id);
    const found = this.#table.findTerminal(hash, maker, text);
    return (
      found ?? this.intern({ ...blankFields("stringTerminal", hash), body: text, maker, least: text.least })
    );
  }

  /** The one expression of these parts: the known one, or a new one. Public for kinds that are made in other files. */
  intern(parts: ExpressionFields): Expression {
    const found = this.#table.find(parts);
    if (found) return found;
    this.spend(1);
    parts.id = this.#made++;
    const made = parts as unknown as Expression;
    this.#table.add(made);
    return made;
  }
}
