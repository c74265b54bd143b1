/** Unions in their simplest form: fewer members make fewer steps, and equal states are found to be equal. */
import { type ByteSet, unite } from "./byte-set.ts";
import { type Expression, type SequenceExpression, YES } from "./expression-node.ts";

/** What is needed of an arena. */
interface Arena {
  readonly empty: Expression;
  readonly anything: Expression;
  bytes(set: ByteSet): Expression;
  pair(head: Expression, tail: Expression): Expression;
  unionOf(parts: readonly Expression[]): Expression;
  repeat(body: Expression, min: number, max: number): Expression;
}

/** How many common heads are taken out one after another: a bound on recursion; what is left is found when it is stepped to. */
const MOST_NESTING = 40;

let nesting = 0;

/** The members of the union of `parts`: flat, each once, in order of their ids. */
export function simplifyUnion(arena: Arena, parts: readonly Expression[]): Expression[] {
  const kept = new Set<Expression>();
  let set: ByteSet | null = null;
  let sequences = 0;
  let counters = 0;
  for (const part of parts) {
    for (const member of part.kind === "union" ? part.members : [part]) {
      if (member.kind === "bytes") set = set === null ? member.set : unite(set, member.set);
      else if (member.kind !== "nothing") {
        kept.add(member);
        if (member.kind !== "sequence") continue;
        sequences++;
        if (member.head.kind === "repeat") counters++;
      }
    }
  }
  if (kept.has(arena.anything)) return [arena.anything];
  if (set !== null) kept.add(arena.bytes(set));
  if (sequences > 1) {
    if (counters > 0) mergeCounters(arena, kept);
    if (nesting < MOST_NESTING) factor(arena, kept);
  }
  if (kept.has(arena.empty) && kept.size > 1) dropEmpty(arena, kept);
  return [...kept].sort((a, b) => a.id - b.id);
}

/** ab|ac is a(b|c). */
function factor(arena: Arena, kept: Set<Expression>): void {
  const byHead = new Map<Expression, SequenceExpression[]>();
  for (const member of kept) {
    if (member.kind !== "sequence") continue;
    const found = byHead.get(member.head);
    if (found) found.push(member);
    else byHead.set(member.head, [member]);
  }
  for (const [head, group] of byHead) {
    if (group.length === 1) continue;
    for (const member of group) kept.delete(member);
    nesting++;
    try {
      kept.add(arena.pair(head, arena.unionOf(group.map(({ tail }) => tail))));
    } finally {
      nesting--;
    }
  }
}

/** a{1,3}b|a{2,5}b is a{1,5}b: what a nondeterministic counter leaves would otherwise be a member for each count. */
function mergeCounters(arena: Arena, kept: Set<Expression>): void {
  const groups = new Map<string, SequenceExpression[]>();
  for (const member of kept) {
    if (member.kind !== "sequence") continue;
    const { body } = counterOf(member.head);
    const key = `${body.id},${member.tail.id}`;
    const found = groups.get(key);
    if (found) found.push(member);
    else groups.set(key, [member]);
  }
  for (const group of groups.values()) {
    if (group.length === 1) continue;
    for (const member of group) kept.delete(member);
    for (const merged of mergeGroup(arena, group)) kept.add(merged);
  }
}

function counterOf(head: Expression): {
  readonly body: Expression;
  readonly min: number;
  readonly max: number;
} {
  return head.kind === "repeat" ? head : { body: head, min: 1, max: 1 };
}

/** One body and one tail, several counts: those that overlap or touch become one. */
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

/** The empty text is in a member already. */
function dropEmpty(arena: Arena, kept: Set<Expression>): void {
  for (const member of kept) {
    if (member !== arena.empty && member.nullable === YES) {
      kept.delete(arena.empty);
      return;
    }
  }
}
