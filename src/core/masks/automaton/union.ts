/**
 * Unions in their simplest form: fewer members make fewer steps, and the same texts more often become the same expression, and
 * so the same state. `simplifyUnion` rewrites the members in this order. ∅ allows no text, ε only the empty text. A sequence
 * has a head and a tail.
 *
 *     a|∅, a|anything      a, anything    flat, each once, sorted by id
 *     a|b                  [ab]           bytes become one set
 *     Tx|Ux                (T|U)x         string terminals T and U with one tail become one terminal
 *     a{1,3}b|a{2,5}b      a{1,5}b        counts of one body that overlap or touch; a{1,2}b|a{4,5}b stays
 *     ab|ac                a[bc]          members with one head share the head
 *     ε|a{0,}              a{0,}          ε is dropped if another member allows the empty text
 *
 * Example: the union of `ab`, `ac`, `x`, `y`, ∅ and ε has three members: ε, a[bc] and [xy]. `ab|ac` and `a(b|c)` become the
 * same object. Counts without a tail stay: a{1,3}|a{2,5} keeps two members.
 */
import { type ByteSet, unite } from "./byte-set.ts";
import {
  type Expression,
  type SequenceExpression,
  type StringTerminalExpression,
  type StringTerminalMaker,
  type WorkBudget,
  YES,
} from "./expression-node.ts";

/** The parts of an arena that this file calls. */
interface Arena extends WorkBudget {
  readonly empty: Expression;
  readonly anything: Expression;
  bytes(set: ByteSet): Expression;
  pair(head: Expression, tail: Expression): Expression;
  unionOf(parts: readonly Expression[]): Expression;
  repeat(body: Expression, min: number, max: number): Expression;
  stringTerminal(maker: StringTerminalMaker, text: Expression): Expression;
  spend(amount: number): void;
}

/** How deeply common heads are factored out: a bound on the recursion. A step that leads to a deeper head factors it out. */
const MOST_NESTING = 40;

let nesting = 0;

/** Up to this many members, every pair is compared, and the members are sorted by insertion. */
const FEW = 24;

/** The members of the union of `parts`: flat, each once, in order of their ids. */
export function simplifyUnion(arena: Arena, parts: readonly Expression[]): Expression[] {
  const members: Expression[] = [];
  let set: ByteSet | null = null;
  let sequences = 0;
  let counters = 0;
  let terminals = 0;
  for (const part of parts) {
    const { kind } = part;
    for (let index = 0, end = kind === "union" ? part.members.length : 1; index < end; index++) {
      const member = kind === "union" ? (part.members[index] as Expression) : part;
      if (member === arena.anything) return [member];
      if (member.kind === "nothing") continue;
      if (member.kind === "bytes") {
        set = set === null ? member.set : unite(set, member.set);
        continue;
      }
      members.push(member);
      if (member.kind !== "sequence") continue;
      sequences++;
      if (member.head.kind === "repeat") counters++;
      else if (member.head.kind === "stringTerminal") terminals++;
    }
  }
  if (set !== null) members.push(arena.bytes(set));
  // All members count: sorting many equal members takes longer than using the few that are left.
  arena.spend(members.length);
  sortMembers(members);
  if (terminals > 1) {
    const kept = new Set(members);
    mergeTerminals(arena, kept);
    members.splice(0, members.length, ...kept);
    sortMembers(members);
  }
  if (sequences > 1 && counters > 0 && hasPair(members, countsSame))
    regroup(members, mergeCounters(arena, members));
  if (sequences > 1 && nesting < MOST_NESTING && hasPair(members, beginsSame))
    regroup(members, factor(arena, members));
  if (members.length > 1 && members.includes(arena.empty)) dropEmpty(arena, members);
  return members;
}

/** Sorts the members by their ids, and keeps each once. */
export function sortMembers(members: Expression[]): void {
  if (members.length > FEW) members.sort((a, b) => a.id - b.id);
  else insertionSort(members);
  let kept = 0;
  for (const member of members) if (kept === 0 || members[kept - 1] !== member) members[kept++] = member;
  members.length = kept;
}

/** Most unions have two or three members. It runs at every step, so it allocates nothing. */
function insertionSort(members: Expression[]): void {
  for (let index = 1; index < members.length; index++) {
    const member = members[index] as Expression;
    let place = index;
    for (; place > 0 && (members[place - 1] as Expression).id > member.id; place--) {
      members[place] = members[place - 1] as Expression;
    }
    members[place] = member;
  }
}

/** Whether two of the members form such a pair. Also true if there are too many members to compare. */
function hasPair(
  members: readonly Expression[],
  isPair: (a: SequenceExpression, b: SequenceExpression) => boolean,
): boolean {
  if (members.length > FEW) return true;
  for (let index = 1; index < members.length; index++) {
    const one = members[index] as Expression;
    if (one.kind !== "sequence") continue;
    for (let before = 0; before < index; before++) {
      const other = members[before] as Expression;
      if (other.kind === "sequence" && isPair(one, other)) return true;
    }
  }
  return false;
}

const beginsSame = (a: SequenceExpression, b: SequenceExpression) => a.head === b.head;
const countsSame = (a: SequenceExpression, b: SequenceExpression) =>
  a.tail === b.tail && counterOf(a.head).body === counterOf(b.head).body;

function regroup(members: Expression[], made: readonly Expression[]): void {
  members.length = 0;
  for (const member of made) members.push(member);
  sortMembers(members);
}

/** Takes out what members begin with: ab|ac is a(b|c). */
function factor(arena: Arena, members: readonly Expression[]): Expression[] {
  const { groups, others } = groupBy(members, ({ head }) => head.id);
  // `unionOf` simplifies the union of the tails, which may factor again.
  nesting++;
  try {
    return others.concat(
      groups.map((group) => {
        const [first] = group as [SequenceExpression];
        return group.length === 1
          ? first
          : arena.pair(first.head, arena.unionOf(group.map(({ tail }) => tail)));
      }),
    );
  } finally {
    nesting--;
  }
}

/** Joins counts: a{1,3}b|a{2,5}b is a{1,5}b. Otherwise each count that is possible would stay a member of its own. */
function mergeCounters(arena: Arena, members: readonly Expression[]): Expression[] {
  const { groups, others } = groupBy(members, ({ head, tail }) => `${counterOf(head).body.id},${tail.id}`);
  return others.concat(
    groups.flatMap((group): readonly Expression[] => (group.length === 1 ? group : mergeGroup(arena, group))),
  );
}

function groupBy(
  members: readonly Expression[],
  keyOf: (member: SequenceExpression) => number | string,
): { groups: readonly (readonly SequenceExpression[])[]; others: Expression[] } {
  const groups = new Map<number | string, SequenceExpression[]>();
  const others: Expression[] = [];
  for (const member of members) {
    if (member.kind !== "sequence") {
      others.push(member);
      continue;
    }
    const key = keyOf(member);
    const found = groups.get(key);
    if (found) found.push(member);
    else groups.set(key, [member]);
  }
  return { groups: [...groups.values()], others };
}

/** String terminals that are followed by the same become one terminal, so that its masks are ready. */
function mergeTerminals(arena: Arena, kept: Set<Expression>): void {
  const byTail = new Map<Expression, [StringTerminalExpression, ...StringTerminalExpression[]]>();
  for (const member of kept) {
    if (member.kind !== "sequence" || member.head.kind !== "stringTerminal") continue;
    const found = byTail.get(member.tail);
    if (found) found.push(member.head);
    else byTail.set(member.tail, [member.head]);
  }
  for (const [tail, heads] of byTail) {
    if (heads.length === 1) continue;
    for (const head of heads) kept.delete(arena.pair(head, tail));
    const [{ maker }] = heads;
    const texts = heads.map(({ body }) => body);
    kept.add(arena.pair(arena.stringTerminal(maker, maker.union(texts, arena)), tail));
  }
}

function counterOf(head: Expression): {
  readonly body: Expression;
  readonly min: number;
  readonly max: number;
} {
  return head.kind === "repeat" ? head : { body: head, min: 1, max: 1 };
}

/** Repetitions with one body and one tail become one if their counts overlap or touch. */
function mergeGroup(arena: Arena, group: readonly SequenceExpression[]): Expression[] {
  const [first] = group;
  if (!first) return [];
  const { body } = counterOf(first.head);
  const counts = group.map(({ head }) => counterOf(head)).sort((a, b) => a.min - b.min);
  const merged: { min: number; max: number }[] = [];
  for (const { min, max } of counts) {
    const last = merged.at(-1);
    if (last && min <= last.max + 1) last.max = Math.max(last.max, max);
    else merged.push({ min, max });
  }
  return merged.map(({ min, max }) => arena.pair(arena.repeat(body, min, max), first.tail));
}

/** Drops the empty text where another member allows it. */
function dropEmpty(arena: Arena, members: Expression[]): void {
  const other = members.some((member) => member !== arena.empty && member.nullable === YES);
  if (other) members.splice(members.indexOf(arena.empty), 1);
}
